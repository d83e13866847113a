"""Packets: bounded evidence for a question, as of a chapter and blind to everything after it."""
