"""Extraction: a publication becomes events, exactly once, whatever is delivered twice, late, or not at all."""
