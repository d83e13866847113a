"""Who speaks, where the parser does not say, and what else a name's bearer is called."""

from __future__ import annotations

from typing import Any

import pytest

from services.extraction.offline import OfflineExtractor
from services.extraction.offline.reading import Reading
from services.extraction.offline.tags import tag_after, verb_after


def extract(text: str) -> list[dict[str, Any]]:
    return OfflineExtractor().extract(text, chapter=1)


def speakers(text: str) -> list[str]:
    found = []
    for record in extract(text):
        if record["kind"] == "interaction":
            found.append((record["evidence"][0]["start"], record["source"]))
        for one in record.get("participants", ()) if record["kind"] == "event" else ():
            if one["role"] == "speaker":
                found.append((record["evidence"][0]["start"], one["entity"]))
    return [name for _, name in sorted(found)]


@pytest.mark.parametrize(
    ("after", "verb", "subject", "pronoun"),
    [
        (" said Mara.", "say", "Mara", ""),
        (" cried the old king, rising", "cry", "king", ""),
        (" he had replied,", "reply", "he", "he"),
        (" thought I.", "think", "I", "i"),
    ],
)
def test_the_words_after_a_quotation_tell_the_speaker(after: str, verb: str, subject: str, pronoun: str) -> None:
    tag = tag_after(after, 0, len(after))
    assert tag is not None
    assert (tag.verb, after[tag.subject :].split()[0].rstrip(".,"), tag.pronoun) == (verb, subject, pronoun)


@pytest.mark.parametrize("after", [" The rain fell.", " saidest Mara", ""])
def test_words_that_say_nothing_of_speech_are_no_tag(after: str) -> None:
    assert tag_after(after, 0, len(after)) is None


def test_a_verb_of_speech_may_follow_the_name() -> None:
    assert verb_after("Mara quietly asked.", 4, 19) == ("ask", 13)


def test_a_paragraph_that_ends_in_a_colon_announces_the_speaker() -> None:
    text = "Mara walked to Tomas. Tomas looked up at Mara, and Mara said:\n\n“The ferry is late.”"
    assert speakers(text) == ["Mara"]


def test_a_pronoun_beside_speech_is_whom_the_narration_was_about() -> None:
    text = "Mrs. Voss looked at Tomas and Henry. Mrs. Voss shook her head. “The ferry is late,” she said."
    assert speakers(text) == ["Mrs. Voss"]


def test_a_speaker_who_is_only_guessed_is_never_half_certain() -> None:
    text = "“No,” said Tomas to Mara.\n\nAfter that Mara walked to the door with Tomas.\n\n“The ferry is late.”"
    (record,) = [r for r in extract(text) if "ferry" in r.get("summary", "") and r["kind"] != "situation"]
    assert record["confidence"] < 0.5


def aliases(text: str) -> dict[str, list[str]]:
    return {r["name"]: r.get("aliases", []) for r in extract(text) if r["kind"] == "entity"}


def test_a_man_under_a_title_is_also_called_by_his_surname() -> None:
    assert aliases("Mr. Orlov laughed. “No,” said Mr. Orlov.") == {"Mr. Orlov": ["Orlov"]}


def test_a_surname_that_somebody_else_bears_too_is_nobodys_alone() -> None:
    found = aliases("Mr. Orlov laughed at Mrs. Orlov. “No,” said Mrs. Orlov. “Yes,” said Mr. Orlov.")
    assert found == {"Mr. Orlov": [], "Mrs. Orlov": []}


def test_a_younger_brother_is_not_called_as_the_elder_is() -> None:
    found = aliases("Mr. John Orlov laughed. “No,” said Mr. John Orlov.")
    assert "Mr. Orlov" not in found["Mr. John Orlov"]


def test_a_full_name_answers_to_its_given_name() -> None:
    text = "Louisa Orlov laughed. “No,” said Louisa Orlov. Louisa Orlov sat down. “Well?” said Louisa Orlov."
    assert aliases(text) == {"Louisa Orlov": ["Louisa"]}


def test_a_given_name_used_oftener_than_its_title_is_the_name() -> None:
    found = aliases("Alice laughed. “Go on, Miss Alice,” said Tomas. “No,” said Alice. Alice left Tomas.")
    assert "Alice" in found


READ = "Mara Voss met an old priest in the garden. He looked at her. The priest bowed.\n\n“I am late,” said the priest to Mara."


@pytest.fixture(scope="module")
def reading() -> Reading:
    return OfflineExtractor().read(READ)


def chain_of(reading: Reading, words: str) -> int:
    return next(m.chain for m in reading.mentions if READ[m.span.start : m.span.end] == words)


def test_a_definite_description_takes_up_the_indefinite_one(reading: Reading) -> None:
    assert chain_of(reading, "The priest") == chain_of(reading, "an old priest")


def test_pronouns_go_by_sex(reading: Reading) -> None:
    assert chain_of(reading, "He") == chain_of(reading, "an old priest")
    assert chain_of(reading, "her") == chain_of(reading, "Mara Voss")


def test_places_and_people_are_told_apart(reading: Reading) -> None:
    sorts = {READ[m.span.start : m.span.end]: m.sort for m in reading.mentions}
    assert (sorts["the garden"], sorts["an old priest"]) == ("FAC", "PER")


def test_what_happens_is_told_by_its_words(reading: Reading) -> None:
    assert {READ[a:b] for a, b in reading.triggers} == {"met", "looked", "bowed", "said"}


def test_a_language_without_parser_has_no_reading() -> None:
    assert OfflineExtractor().read("安娜走进房间。", language="zh") == Reading()


OWN_STORY = "I got up. I took my hat. I went down. I saw the river. I sat there. " * 3


def test_a_narrator_is_whom_others_call_by_name() -> None:
    text = (
        OWN_STORY
        + "\n\n“Come in, Huck,” Tomas said to me.\n\n“Are you well, Huck?” said Tomas to me.\n\nI nodded to Tomas."
    )
    assert "the narrator nodded to Tomas" in [r.get("summary") for r in extract(text)]
    assert "Huck" in aliases(text)["the narrator"]


def test_whom_the_narration_names_is_not_the_narrator() -> None:
    text = (
        OWN_STORY + "\n\n“Come in, Mara,” said Tomas.\n\nMara came in. “Sit, Mara,” said Tomas.\n\nI nodded to Tomas."
    )
    assert "the narrator nodded to Tomas" in [r.get("summary") for r in extract(text)]


def test_a_short_form_that_only_speakers_use_is_the_one_whom_the_narration_calls_in_full() -> None:
    text = "Elizabeth laughed. “Stay, Lizzy,” said Tomas. “My Lizzy is late.” “No, dear Tomas,” said Elizabeth. Tomas left Elizabeth."
    assert aliases(text)["Elizabeth"] == ["Lizzy"]


def test_a_short_form_that_the_narration_uses_too_is_somebody_else() -> None:
    text = "Thomas laughed. “Stay, Tom,” said Thomas. “No,” said Tom. Tom left. Thomas left."
    assert {"Thomas", "Tom"} <= set(aliases(text))


def test_a_gentleman_with_his_given_name_is_not_the_one_without() -> None:
    text = "Mr. Orlov laughed. “No,” said Mr. John Orlov to Mr. Orlov. Mr. John Orlov left. Mr. Orlov sat down."
    assert {"Mr. Orlov", "Mr. John Orlov"} <= set(aliases(text))


def said(words: str) -> list[tuple[str, str]]:
    """Who says each quotation that begins with one of the words."""
    found = []
    for record in extract(words):
        names = [p["entity"] for p in record.get("participants", ()) if isinstance(p, dict) and p["role"] == "speaker"]
        names += [record["source"]] if record["kind"] == "interaction" else []
        found += [(evidence["quote"].strip("“”,.!?"), name) for name in names for evidence in record["evidence"]]
    return found


def test_each_of_two_speakers_in_a_paragraph_has_his_own_words() -> None:
    text = "“Come in!” cried Mara, and Tomas answered, “I am here.”"
    assert set(said(text)) == {("Come in", "Mara"), ("I am here", "Tomas")}


SHORE = "Tomas came in to Mary. Mary laughed at Tomas. "


def test_a_verb_of_speech_far_before_its_words_announces_them() -> None:
    text = SHORE + "Mary, who had waited for him since noon, called out to him in a low voice “The ferry is late.”"
    assert said(text) == [("The ferry is late", "Mary")]


def test_whoever_only_acts_before_a_colon_speaks_after_it() -> None:
    text = SHORE + "Mary had the following to offer:\n\n“The ferry is late.”"
    assert said(text) == [("The ferry is late", "Mary")]


def test_a_wife_beside_speech_is_the_mrs_of_the_name() -> None:
    text = "Mr. Orlov sat beside Mrs. Orlov and Mrs. Voss. Mr. Orlov yawned.\n\n“Go to bed,” said his wife."
    assert said(text) == [("Go to bed", "Mrs. Orlov")]


def test_an_answer_that_is_somebodys_is_spoken_by_him() -> None:
    text = "Mary looked at Henry. “The ferry is late,” said Mary to Henry.\n\n“I know,” was his answer."
    assert said(text) == [("The ferry is late", "Mary"), ("I know", "Henry")]


def test_a_voice_is_its_owners() -> None:
    assert said("Mara knocked for Tomas. “Come in,” said Tomas’s voice.") == [("Come in", "Tomas")]
