"""Which verbs a sentence tells as facts, and which of them it denies."""

from __future__ import annotations

import pytest

from services.answering.readers.offline import document
from services.extraction.offline.factuality import is_denied, is_fact


def verb(sentence: str, lemma: str) -> tuple[bool, bool]:
    """Whether the verb is told as a fact, and whether it is denied."""
    token = next(t for t in document(sentence) if t.lemma_.lower() == lemma and t.pos_ in ("VERB", "AUX"))
    return is_fact(token), is_denied(token)


@pytest.mark.parametrize(
    ("sentence", "lemma"),
    [
        ("Tom managed to kill Bo.", "kill"),
        ("Tom went and killed Bo.", "kill"),
        ("Tom saw that Ada stole the ring.", "steal"),
        ("Ada learned that Tom had killed Bo.", "kill"),
        ("Tom began to sing.", "sing"),
        ("Tom, who killed Bo, fled.", "kill"),
        ("After killing Bo, Tom fled.", "kill"),
        ("When Tom killed Bo, Ada wept.", "kill"),
        ("Tom fled, Ada hid the knife.", "hide"),
        ("Ada was able to escape.", "escape"),
        ("She used to love him.", "love"),
        ("People said that Ada had stolen the ring.", "say"),
    ],
)
def test_a_fact_is_told_outright_or_found_out_or_carried_out(sentence: str, lemma: str) -> None:
    assert verb(sentence, lemma) == (True, False)


@pytest.mark.parametrize(
    ("sentence", "lemma"),
    [
        ("Tom Gale nearly killed Bo Lind.", "kill"),
        ("Tom Gale hardly spoke to Ada Rook.", "speak"),
        ("Perhaps Bo Lind hid the knife.", "hide"),
        ("Ada Rook forgot to lock the door.", "lock"),
        ("Ada Rook denied that she had hidden the will.", "hide"),
        ("Ada Rook forbade Tom Gale to open the box.", "open"),
        ("Ada Rook threatened to shoot Bo Lind.", "shoot"),
        ("Ada Rook lied that Bo Lind had betrayed Tom Gale.", "betray"),
        ("Bo Lind doubted that Tom Gale had saved Ada Rook.", "save"),
        ("Ada Rook wondered whether Tom Gale had cheated Bo Lind.", "cheat"),
        ("People said that Ada Rook had stolen the ring.", "steal"),
        ("If Ada Rook had found the bell, Bo Lind would have fled.", "find"),
        ("If Ada Rook had found the bell, Bo Lind would have fled.", "flee"),
        ("Ada Rook was too weak to carry Tom Gale.", "carry"),
        ("Bo Lind was prevented from leaving Oslo.", "leave"),
        ("Ada pretended to faint.", "faint"),
        ("In her dream Elin Roake killed the bishop.", "kill"),
        ("Tom tried to kill Bo.", "kill"),
        ("Tom killed Bo, they say.", "kill"),
        ("Tom was accused of robbing Ada.", "rob"),
        ("Tom could swim.", "swim"),
    ],
)
def test_what_is_said_meant_supposed_or_nearly_so_is_no_fact(sentence: str, lemma: str) -> None:
    assert not verb(sentence, lemma)[0]


@pytest.mark.parametrize(
    ("sentence", "lemma"),
    [
        ("Tom did not kill Bo.", "kill"),
        ("Tom never killed Bo.", "kill"),
        ("Neither Greta Holm nor Inge Holm wept.", "weep"),
        ("Nobody saw Ivo Marr at the fair.", "see"),
        ("Tom killed nobody.", "kill"),
        ("Few of the guests danced with Greta Holm.", "dance"),
        ("Tom did not manage to kill Bo.", "kill"),
    ],
)
def test_what_is_denied_is_told_as_not_so(sentence: str, lemma: str) -> None:
    assert verb(sentence, lemma) == (True, True)
