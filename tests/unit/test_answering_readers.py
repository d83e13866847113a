"""What the readers answer from small packets, and when they abstain."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from services.answering.readers.asking import is_composite, kind_of
from services.answering.readers.claude import ClaudeReader, UnreadableAnswer
from services.answering.readers.offline import OfflineReader
from services.answering.readers.ranking import believed, evidence
from services.answering.readers.sentences import Supports, sentences, split
from tests.messages_server import Answer as Served
from tests.messages_server import messages_server, text_of

HIDDEN = "Mara Voss hid the brass key under the third stair. Nobody in the lamp house saw it."
LEFT = "Tomas wept, because the ferry had left without him. He had waited for seven hours."
THROWN = "Ilse threw the lantern into the harbour at dawn."
PACKET: dict[str, Any] = {
    "items": [
        {"id": "p1", "type": "passage", "chapter": 1, "text": HIDDEN},
        {"id": "p2", "type": "passage", "chapter": 2, "text": LEFT},
        {"id": "2:o1", "type": "object_delta", "chapter": 2, "text": THROWN},
    ]
}


@pytest.fixture(scope="module")
def reader() -> OfflineReader:
    return OfflineReader()


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who hid the key?", "person"),
        ("Where is the key?", "place"),
        ("When did she throw it?", "time"),
        ("Why did Tomas weep?", "reason"),
        ("How many hours did he wait?", "number"),
        ("How did he feel about the ferry?", "feeling"),
        ("What did Ilse throw away?", "thing"),
        ("What did Ilse do?", "deed"),
        ("What did the miller's boy do once he had the sledge?", "deed"),
        ("What became of the ferry?", "deed"),
        ("Did Ilse throw the lantern?", "polar"),
        ("Mara hid the key.", "other"),
    ],
)
def test_a_question_is_told_by_its_wording(question: str, kind: str) -> None:
    assert kind_of(question) == kind


@pytest.mark.parametrize(
    ("question", "answer", "item"),
    [
        ("Who hid the brass key?", "Mara Voss", "p1"),
        ("Where did Mara hide the brass key?", "under the third stair", "p1"),
        ("Why did Tomas weep?", "the ferry had left without him", "p2"),
        ("How many hours had Tomas waited?", "seven hours", "p2"),
        ("What did Ilse throw into the harbour?", "the lantern", "2:o1"),
        ("Did Mara Voss hide the brass key?", "Yes", "p1"),
    ],
)
def test_the_part_that_is_asked_for_is_answered(reader: OfflineReader, question: str, answer: str, item: str) -> None:
    said = reader.answer(question, PACKET)
    assert (said.text, said.evidence_ids) == (answer, (item,))


TALE: Final = {
    "items": [
        {
            "id": "p1",
            "type": "passage",
            "chapter": 1,
            "text": "Old Hask the porter loved Wren dearly. Every evening he carried a lamp, two loaves and the letter to her door. "
            "When she had read it she burst into tears. So Hask, much alarmed, ran down to the harbour. "
            "The ferry had not come, for the strait was frozen. Thereupon the miller's boy lent him his sledge.",
        }
    ]
}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who loved Wren?", "Old Hask"),
        ("Who carried a lamp to her door?", "Old Hask"),  # the sentence says only `he`
        ("What did Hask carry to her door?", "a lamp, two loaves and the letter to her door"),
        ("How did Hask feel when she burst into tears?", "alarmed"),
        ("Why had the ferry not come?", "the strait was frozen"),
        ("What happened when she had read it?", "burst into tears. So Hask, much alarmed, ran down to the harbour."),
    ],
)
def test_the_part_of_the_verb_that_is_asked_for_is_answered(reader: OfflineReader, question: str, answer: str) -> None:
    assert reader.answer(question, TALE).text.endswith(answer)


def test_where_no_sentence_has_the_part_that_is_asked_for_a_sentence_is_told(reader: OfflineReader) -> None:
    said = reader.answer("Who repaired the frozen ferry?", TALE)
    assert said.text.startswith("The ferry had not come, for the strait was frozen.")


def test_words_in_the_question_s_order_count_beside_the_words() -> None:
    question = "Who hid the brass key under the stair?"
    same, other = "Ilse hid the brass key under the stair.", "Under the stair Ilse hid a key; the brass shone."
    assert evidence(question, same, 1.0) >= believed("person") > evidence(question, other, 0.5)
    assert evidence(question, same, 0.5) > evidence(question, other, 0.5)


def test_why_something_came_about_is_believed_sooner_than_who_did_it() -> None:
    assert believed("reason") < believed("manner") < believed("person") == believed("deed")


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Who hid the key, and where did Tomas wait?", True),
        ("What did Mara hide? Say why nobody saw it.", True),
        ("To what did Tomas put down the noise, and what was it really?", True),
        ("What did the dog and the cat do when their owners had grown poor?", False),
        ("What did Hask say to the boy who lent him his sledge and his lamp?", False),
        ("Where did Dr. Voss go to look for the ferry?", False),
    ],
)
def test_a_word_that_only_relates_makes_no_second_question(question: str, several: bool) -> None:
    assert is_composite(question) is several


def test_each_part_of_a_question_is_told_from_the_texts_before_the_records(reader: OfflineReader) -> None:
    record = {
        "id": "1:e1", "type": "event", "chapter": 1, "record": "1:e1", "score": 9.0,
        "text": "Mara Voss hides the brass key.; with Mara Voss as agent; why did Tomas weep.",
    }  # fmt: skip
    items = [record, *({**item, "score": 1.0} for item in PACKET["items"])]
    said = reader.answer("Where did Mara Voss hide the brass key, and why did Tomas weep?", {"items": items})
    assert "under the third stair" in said.text
    assert "because the ferry had left without him" in said.text
    assert said.text.index("Mara Voss hid the brass key") < len(said.text) / 2
    alone = reader.answer("Where did Mara Voss hide the brass key, and why did Tomas weep?", {"items": [record]})
    assert alone.evidence_ids == ("1:e1",)
    assert alone.text == "Mara Voss hides the brass key."


def test_parts_that_the_packet_holds_too_little_of_are_not_told(reader: OfflineReader) -> None:
    question = "Which general besieged Vienna with whose cannon, and what did the emperor's mother write of the relief?"
    assert reader.answer(question, PACKET).abstained


@pytest.mark.parametrize("question", ["Which general besieged Vienna?", "Who?", "???"])
def test_what_the_packet_does_not_support_is_not_answered(reader: OfflineReader, question: str) -> None:
    said = reader.answer(question, PACKET)
    assert said.abstained
    assert (said.text, said.evidence_ids) == ("", ())


def test_who_somebody_is_is_told_by_what_is_said_of_him_and_not_by_his_type(reader: OfflineReader) -> None:
    known = {"id": "entity:1", "type": "entity", "chapter": 1, "text": "Ewart Pell, character; also called Pell."}
    described = {**known, "text": "Ewart Pell, character; also called Pell; Jorun Pell's brother, who drowned."}
    assert reader.answer("Who is Ewart Pell?", {"items": [known]}).abstained
    answer = reader.answer("Who is Ewart Pell?", {"items": [described]})
    assert "Jorun Pell's brother" in answer.text
    assert answer.evidence_ids == ("entity:1",)


def test_an_empty_packet_is_not_answered_from(reader: OfflineReader) -> None:
    assert reader.answer("Who hid the key?", {"items": []}).abstained


def test_of_options_the_supported_one_is_chosen(reader: OfflineReader) -> None:
    options = ("under the bed", "under the third stair", "in the harbour")
    assert reader.answer("Where did Mara hide the brass key?", PACKET, options).text == "under the third stair"


@pytest.mark.parametrize(
    ("claim", "truth"),
    [
        ("Ilse threw the lantern into the harbour at dawn.", "True"),
        ("Ilse never threw the lantern into the harbour.", "False"),
        ("Ilse sold the lantern to a miller for nine florins.", "False"),
    ],
)
def test_a_claim_is_judged_by_what_supports_it(reader: OfflineReader, claim: str, truth: str) -> None:
    assert reader.answer(claim, PACKET, ("True", "False")).text == truth


def test_a_text_that_cannot_be_parsed_is_answered_with_a_sentence(reader: OfflineReader) -> None:
    packet = {
        "items": [{"id": "p1", "type": "passage", "chapter": 1, "text": "真鍮の鍵は階段の下にある。夜が明けた。"}]
    }
    assert reader.answer("真鍮の鍵は何処にある", packet).text == "真鍮の鍵は階段の下にある。"


def test_titles_do_not_end_sentences() -> None:
    assert list(split("Mr. Voss left. “Wait!” said Mrs. Hale.")) == ["Mr. Voss left.", "“Wait!” said Mrs. Hale."]


def test_a_neighbouring_sentence_supports_less_than_the_one_itself() -> None:
    found = Supports(sentences(PACKET)).share(["key"])
    assert found[0] == 1.0
    assert 0.0 < found[1] < 1.0
    assert found[2:] == [0.0, 0.0, 0.0]


def claude(reply: object, *, stop: str = "end_turn", options: tuple[str, ...] = ()) -> tuple[Any, dict[str, Any]]:
    """What the Claude reader makes of a reply, and what it had asked."""
    with messages_server() as server:
        server.script(Served(text=reply if isinstance(reply, str) else json.dumps(reply), stop=stop))
        said = ClaudeReader.from_options(server.options()).answer("Who hid the key?", PACKET, options)
        return said, server.asked[0]


def test_claude_answers_with_the_items_that_it_names() -> None:
    said, asked = claude({"abstained": False, "answer": "Mara Voss", "evidence_ids": ["p1", "p1", "p9"]})
    assert (said.text, said.abstained, said.evidence_ids) == ("Mara Voss", False, ("p1",))
    assert "[p1 | passage | chapter 1]" in text_of(asked)
    assert asked["output_config"]["format"]["type"] == "json_schema"


def test_the_same_question_and_packet_make_the_same_request() -> None:
    first, second = (claude({"abstained": True, "answer": "", "evidence_ids": []})[1] for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    "reply",
    [
        {"abstained": True, "answer": "Mara", "evidence_ids": ["p1"]},
        {"abstained": False, "answer": " ", "evidence_ids": []},
    ],
)
def test_claude_abstains(reply: dict[str, Any]) -> None:
    said, _ = claude(reply)
    assert (said.text, said.abstained, said.evidence_ids) == ("", True, ())


def test_an_answer_that_is_none_of_the_options_is_no_answer() -> None:
    reply = {"abstained": False, "answer": "tomas", "evidence_ids": ["p1"]}
    assert claude(reply, options=("Mara", "Tomas"))[0].text == "Tomas"
    assert claude(reply, options=("Mara", "Ilse"))[0].abstained


@pytest.mark.parametrize("reply", ["no JSON", {"answer": "Mara"}])
def test_a_reply_of_another_form_is_refused(reply: object) -> None:
    with pytest.raises(UnreadableAnswer, match="ask again"):
        claude(reply)


def test_a_model_that_declines_abstains() -> None:
    assert claude("", stop="refusal")[0].abstained
