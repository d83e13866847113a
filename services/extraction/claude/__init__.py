"""The extractor that asks Claude: chunks, structured replies, verification against the text, and an account of every call."""

from services.extraction.claude.account import usage
from services.extraction.claude.estimating import Estimate, estimate
from services.extraction.claude.extractor import ClaudeExtractor, Reading
from services.extraction.claude.options import ClaudeOptions

__all__ = ["ClaudeExtractor", "ClaudeOptions", "Estimate", "Reading", "estimate", "usage"]
