"""A drafted answer with all that it is audited against."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from events.ids import EntityId
from projections.passages.read import RecordRow
from projections.search.analysis import terms
from services.answering.decomposing import Order
from services.answering.looking import FromState
from services.answering.naming import Names, as_called
from services.answering.readers.asking import Kind, asked_terms, is_composite, kind_of
from services.answering.readers.feelings import nearby
from services.answering.readers.ranking import evidence
from services.answering.readers.sentences import Sentence, Supports, sentences
from services.extraction.offline.language import parsed_language
from services.retrieval.cast import Figure
from services.retrieval.slices import Slice

Json = Any


@dataclass(frozen=True)
class Case:
    """`lexical`: the reader goes by words alone, so that their presence is all that speaks for its answer."""

    slice: Slice
    names: Names
    question: str
    options: tuple[str, ...]
    text: str
    evidence_ids: tuple[str, ...]
    packet: Mapping[str, Json]
    state: FromState | None
    order: Order | None
    lexical: bool

    @cached_property
    def cited(self) -> list[Json]:
        wanted = set(self.evidence_ids)
        return [item for item in self.packet["items"] if item["id"] in wanted]

    @cached_property
    def records(self) -> tuple[str, ...]:
        """What the answer is grounded in: records by name, passages by chapter and span."""
        return tuple(dict.fromkeys(item.get("record") or item["passage"] for item in self.cited))

    @cached_property
    def kind(self) -> Kind:
        return kind_of(self.question)

    @cached_property
    def is_single(self) -> bool:
        return not is_composite(self.question)

    @cached_property
    def is_english(self) -> bool:
        return parsed_language(self.question, "en") is not None

    @cached_property
    def is_judged_by_clauses(self) -> bool:
        """Whether it is a question that a single English clause can answer by yes or no, for a reader that goes by words."""
        return self.lexical and not self.options and self.kind == "polar" and self.is_single and self.is_english

    @cached_property
    def is_claim(self) -> bool:
        """Whether a statement is judged true or false."""
        return {option.casefold() for option in self.options} == {"true", "false"}

    @cached_property
    def called(self) -> str:
        """The question with everybody under the name that the packet has for them."""
        return as_called(self.names, self.question, self.packet)

    @cached_property
    def supports(self) -> Supports:
        return Supports(sentences(self.packet))

    @cached_property
    def cited_sentences(self) -> list[int]:
        """The places of the sentences of the items that are cited."""
        wanted = set(self.evidence_ids)
        return [s.place for s in self.supports.sentences if s.item in wanted]

    @cached_property
    def shares(self) -> list[float]:
        """How much of the question each sentence of the packet holds."""
        return self.supports.share(asked_terms(self.called))

    @cached_property
    def ground(self) -> Sentence | None:
        """The cited sentence that holds most of the question, of those that have the answer in it if any does."""
        spelled = " ".join(self.text.split())
        having = [p for p in self.cited_sentences if spelled and spelled in self.supports.sentences[p].text]

        def worth(place: int) -> float:
            return round(evidence(self.called, self.supports.sentences[place].text, self.shares[place]), 6)

        if self.kind == "feeling":  # it is told beside what it is felt at
            having = [p for p in self.cited_sentences if nearby(p, having)]
        best = max(having or self.cited_sentences, key=lambda p: (worth(p), -p), default=None)
        return None if best is None else self.supports.sentences[best]

    @cached_property
    def asked_about(self) -> list[Figure]:
        """Whom and what the question names, each once."""
        return list({n.figure.id: n.figure for n in self.names.in_text(self.question)}.values())

    def mentioned(self, item: Json) -> set[str]:
        """The figures that an item names or is a record of."""
        found: set[str] = {n.figure.id for n in self.names.in_text(item["text"])}
        index = self.slice.record_by_name.get(item.get("record") or "")
        if index is not None:
            found |= {self.slice.cast.of(entity) for _, entity, _ in self.slice.records[index].mentions}
        return found

    def told_in(self, item: Json) -> set[str]:
        """The figures that the records grounded in a text are about: whom it calls only `he` or `she`, too."""
        spans = [(e["chapter"], e["start"], e["end"]) for e in item["evidence"]] if "passage" in item else []
        return {
            self.slice.cast.of(entity)
            for chapter, low, high in spans
            for record in self.of_chapter(chapter)
            if any(low <= start < high for start, _ in record.evidence)
            for _, entity, _ in record.mentions
        }

    def place_of(self, sentence: Sentence) -> tuple[int, int, int] | None:
        """The chapter of a cited sentence of the text, and its code points [start, end) there; None where it is of a record."""
        item = next((item for item in self.cited if item["id"] == sentence.item), None)
        if item is None or "passage" not in item:
            return None
        match = re.search(r"\s+".join(map(re.escape, sentence.text.split())), item["text"])
        span = item["evidence"][0]
        return None if match is None else (span["chapter"], span["start"] + match.start(), span["start"] + match.end())

    def of_chapter(self, chapter: int) -> Sequence[RecordRow]:
        return self._by_chapter.get(chapter, ())

    @cached_property
    def _by_chapter(self) -> Mapping[int, Sequence[RecordRow]]:
        found: dict[int, list[RecordRow]] = {}
        for record in self.slice.records:
            found.setdefault(record.chapter, []).append(record)
        return found


def type_of(slice_: Slice, figure: Figure) -> str:
    """What the first record that introduces a figure calls it; `unknown` where none does."""
    introduced = [slice_.records[index].payload.get("type") for index in figure.introduced_in]
    return str(next((kind for kind in introduced if kind), "unknown"))


def known_words(case: Case) -> Sequence[str]:
    """The terms that the evidence gives an answer: of the cited items, and of the names of whom these name."""
    found = [term for item in case.cited for term in terms(item["text"])]
    for figure in {f for item in case.cited for f in case.mentioned(item)}:
        known = case.slice.cast.figures.get(EntityId(figure))
        found += [term for name in (case.names.names(known) if known else ()) for term in terms(name)]
    return found
