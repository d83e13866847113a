"""The extractor that needs no network: names, speech, scenes and plot by rules and a small parser."""

from services.extraction.offline.extractor import OfflineExtractor
from services.extraction.offline.names import KnownEntity

__all__ = ["KnownEntity", "OfflineExtractor"]
