"""The folder of stories with questions: which parts it has, and how each is read into a suite.

`fairytaleqa/{stories,questions}.jsonl`; `narrativeqa/questions.jsonl` and `nocha/claims.jsonl` over `novels/<slug>/`;
`recorded/<slug>/` with `questions.jsonl` and `chapter-NNN.records.json` over the same novels.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from events.errors import InvalidInput
from services.evaluation.retrieval.questions import Chapter, Gold, Question, Story, Suite, located

FAIRYTALEQA, NARRATIVEQA, NOCHA, RECORDED = "fairytaleqa", "narrativeqa", "nocha", "recorded"
SUITES: Final = (RECORDED, FAIRYTALEQA, NARRATIVEQA, NOCHA)
BESIDE: Final = Path("shared") / "data"

Json = Any
T = TypeVar("T")


class NoQuestions(InvalidInput):
    """There is nothing to ask, or it cannot be read."""

    title = "There are no questions"
    slug = "no-questions"


def folder(given: Path | None) -> Path:
    """The folder of data: the one given, or `../shared/data` beside the checkout. Raises `NoQuestions`."""
    if given is None:
        beside = Path(__file__).resolve().parents[4] / BESIDE
        given = beside if beside.is_dir() else None
    if given is None:
        raise NoQuestions("Give the folder of stories and questions with --data, or set FABULA_DATA to it.")
    if not any((given / part).is_dir() for part in SUITES):
        raise NoQuestions(f"{given} has none of the folders {', '.join(SUITES)}; give the folder that holds them.")
    return given


def missing(data: Path, wanted: Iterable[str]) -> list[str]:
    """The suites that the folder does not have, of those that are wanted."""
    return [name for name in wanted if not (data / name).is_dir()]


def suite(data: Path, name: str, *, stories: Iterable[str] = (), limit: int | None = None) -> Suite:
    """One suite: the first `limit` questions, or those about `stories` only, with just the stories they are about.

    Raises `NoQuestions` naming the file that cannot be read.
    """
    found = _READERS[name](data)
    wanted = frozenset(stories)
    asked = [q for q in found.questions if not wanted or q.story in wanted][:limit]
    about = {q.story for q in asked}
    kept = {story: found.stories[story] for story in found.stories if story in about}
    return Suite(name, kept, located(asked, kept))


def custom(questions: Path, chapters: Path, *, limit: int | None = None) -> Suite:
    """Questions of a file in the form of recorded stories about the story in a folder of chapters."""
    story = _chapters(chapters.resolve().name, chapters, chapters)
    asked = list(_each(questions, lambda line: _recorded_question("custom", story, line)))[:limit]
    if not asked:
        raise NoQuestions(f"{questions} has no line; give a file with one question a line.")
    return Suite("custom", {story.name: story}, located(asked, {story.name: story}))


def _fairytaleqa(data: Path) -> Suite:
    """All tales chained into one serial: a section is a chapter, and a question's checkpoint is its tale's last section."""
    chapters: list[Chapter] = []
    number: dict[tuple[str, int], int] = {}
    ends: dict[str, int] = {}

    def chain(tale: Json) -> None:
        for section in tale["sections"]:
            number[tale["story_id"], section["section"]] = len(chapters) + 1
            chapters.append(Chapter(len(chapters) + 1, section["text"]))
        ends[tale["story_id"]] = len(chapters)

    def ask(line: Json) -> Question:
        return Question(
            suite=FAIRYTALEQA,
            story=FAIRYTALEQA,
            id=line["qid"],
            text=line["question"],
            checkpoint=ends[line["story_id"]],
            answers=tuple(dict.fromkeys(line["answers"])),
            gold=tuple(Gold(number[line["story_id"], section]) for section in line["gold_sections"]),
            family=line.get("scope"),
            category=(line.get("attributes") or [None])[0],
            hops=min(2, len(line["gold_sections"])),
        )

    deque(_each(data / FAIRYTALEQA / "stories.jsonl", chain), maxlen=0)
    asked = list(_each(data / FAIRYTALEQA / "questions.jsonl", ask))
    story = Story(FAIRYTALEQA, tuple(chapters))
    return Suite(FAIRYTALEQA, {story.name: story}, asked)


def _narrativeqa(data: Path) -> Suite:
    """Questions on whole novels, asked after the last chapter."""
    return _of_novels(
        data,
        NARRATIVEQA,
        "questions.jsonl",
        lambda story, line, _: Question(
            suite=NARRATIVEQA,
            story=story.name,
            id=line["qid"],
            text=line["question"],
            checkpoint=story.last,
            answers=tuple(dict.fromkeys(line["answers"])),
        ),
    )


def _nocha(data: Path) -> Suite:
    """Claims about whole novels: of a pair one is true and one false."""
    return _of_novels(
        data,
        NOCHA,
        "claims.jsonl",
        lambda story, line, place: Question(
            suite=NOCHA,
            story=story.name,
            id=f"{line['pair_id']}-{'true' if line['label'] else 'false'}-{place}",
            text=line["claim"],
            checkpoint=story.last,
            options=("True", "False"),
            answers=("True" if line["label"] else "False",),
            label=line["label"],
            pair=str(line["pair_id"]),
        ),
    )


def _of_novels(data: Path, name: str, file: str, ask: Callable[[Story, Json, int], Question]) -> Suite:
    stories: dict[str, Story] = {}
    asked: list[Question] = []

    def take(line: Json) -> None:
        slug = line["novel_slug"]
        where = data / "novels" / slug
        if slug not in stories and where.is_dir():
            stories[slug] = _chapters(slug, where)
        if slug in stories:
            asked.append(ask(stories[slug], line, len(asked)))

    deque(_each(data / name / file, take), maxlen=0)
    return Suite(name, stories, asked)


def _recorded(data: Path) -> Suite:
    """Stories whose records are at hand, with questions that have a checkpoint each."""
    stories: dict[str, Story] = {}
    asked: list[Question] = []
    for where in sorted((data / RECORDED).iterdir()):
        texts = data / "novels" / where.name
        if (where / "questions.jsonl").is_file() and texts.is_dir():
            story = stories[where.name] = _chapters(where.name, texts, where)
            asked += _each(where / "questions.jsonl", partial(_recorded_question, RECORDED, story))
    return Suite(RECORDED, stories, asked)


def _recorded_question(suite_: str, story: Story, line: Json) -> Question:
    leak = bool(line.get("leak"))
    given = (line.get("answer"), *(line.get("answers") or ()))
    return Question(
        suite=suite_,
        story=story.name,
        id=str(line["qid"]),
        text=line["question"],
        checkpoint=line.get("checkpoint") or story.last,
        # what the story has not told yet has no answer that a packet could cover
        answers=() if leak else tuple(dict.fromkeys(answer for answer in given if answer)),
        short=None if leak else line.get("answer_short"),
        gold=tuple(_gold(gold) for gold in line.get("gold") or line.get("gold_chapters") or ()),
        family=line.get("family"),
        category=line.get("category"),
        hops=line.get("hops"),
        stale=line.get("stale"),
        leak=leak,
        later_answer=line.get("later_answer"),
        later_chapter=line.get("later_chapter"),
        options=tuple(line.get("options") or ()),
    )


def _gold(value: Json) -> Gold:
    return Gold(value) if isinstance(value, int) else Gold(value["chapter"], value.get("quote"))


def _chapters(name: str, texts: Path, records: Path | None = None) -> Story:
    found = []
    for file in sorted(texts.glob("chapter-*.txt")):
        sidecar = None if records is None else records / f"{file.stem}.records.json"
        beside = json.loads(_text(sidecar)) if sidecar is not None and sidecar.is_file() else None
        found.append(Chapter(int(file.stem.removeprefix("chapter-")), _text(file), None, beside))
    if not found:
        raise NoQuestions(f"{texts} has no chapter-NNN.txt; give a folder of chapters.")
    return Story(name, tuple(sorted(found, key=lambda chapter: chapter.number)))


_READERS: Final[dict[str, Callable[[Path], Suite]]] = {
    RECORDED: _recorded,
    FAIRYTALEQA: _fairytaleqa,
    NARRATIVEQA: _narrativeqa,
    NOCHA: _nocha,
}


def _each(place: Path, make: Callable[[Json], T]) -> Iterator[T]:
    """What each line of JSON stands for. Raises `NoQuestions` naming the line that stands for nothing."""
    # by "\n" alone: other line separators may stand inside a string
    for number, line in enumerate(_text(place).split("\n"), 1):
        if line.strip():
            try:
                yield make(json.loads(line))
            except ValueError:
                raise NoQuestions(f"{place}: line {number} is not JSON; give one JSON object a line.") from None
            except (KeyError, TypeError, AttributeError) as error:
                raise NoQuestions(f"{place}: line {number} lacks what is needed ({error!r}); complete it.") from None


def _text(place: Path) -> str:
    try:
        with place.open(encoding="utf-8", newline="") as file:  # offsets count every character of the file
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise NoQuestions(f"{place} cannot be read ({error}); give a folder whose files can be read.") from None
