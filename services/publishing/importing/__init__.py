"""Importing: a folder of chapter files, an EPUB, or one file with chapter headings is read into chapters, all or nothing."""

from services.publishing.importing.chapters import Ignored, Source, SourceChapter
from services.publishing.importing.source import examine, read_source

__all__ = ["Ignored", "Source", "SourceChapter", "examine", "read_source"]
