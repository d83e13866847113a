"""Chapter text as data: fenced by a code that the text cannot contain, so that nothing in it ends the fence."""

from __future__ import annotations

import hashlib


def fenced(text: str) -> str:
    """The text between two marked lines. The code is a hash of the text: the same text gives the same request."""
    code = nonce(text)
    return f"<<<TEXT {code}>>>\n{text}\n<<<END {code}>>>"


def nonce(text: str) -> str:
    """A code that does not occur in the text: nobody can write a text that contains its own hash."""
    code = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    while code in text:
        code = hashlib.sha256(code.encode()).hexdigest()[:16]
    return code
