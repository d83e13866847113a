"""Auditing what is not published yet: drafts held against the state, and what an edit would do."""
