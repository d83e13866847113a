"""The extractor that asks Claude: chunks, structured replies, verification against the text, and an account of every call."""
