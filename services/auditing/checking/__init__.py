"""Holding a draft against the state that its readers and its author have by then."""
