"""Suggestions for an editor: who may be the same person, as of a chapter, with reasons and never decided by itself."""
