"""Readers: what turns a question and a packet into an answer that names its evidence, or abstains."""

from services.answering.readers.reader import ABSTAINED, Answer, Reader

__all__ = ["ABSTAINED", "Answer", "Reader"]
