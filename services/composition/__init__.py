"""The composition root: every part of the product, built from the settings when it is first asked for.

Nothing is built, started or imported before it is needed: a command that reads the state of a story loads neither an
extractor's language model nor an embedder's.
"""

from __future__ import annotations

from services.composition.application import Application

__all__ = ["Application"]
