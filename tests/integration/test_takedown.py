"""Taking texts down: gone from wherever they are kept, with everything else as it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql
from starlette.testclient import TestClient

from events.chapters import PublicationRequest
from events.errors import Conflict, InvalidInput, Unavailable, UnknownChapter, UnknownStory
from projections import progress, versions
from services.composition import Application
from services.console.api import create_app
from services.settings import Settings
from services.takedown.taking_down import Takedown
from services.takedown.watching import TakedownWatch
from tests.services_fixtures import fresh_database
from tests.serving_fixtures import entity, environment_for, fabula, owns

WORD = "florblesnatch"
TOLD = f"Mara Voss shut the door of the {WORD}. The brass key lay warm in Mara Voss's {WORD} palm."
EDITED = "Mara Voss shut the door. The brass key lay warm in Mara Voss's palm."
QUOTE = f"The brass key lay warm in Mara Voss's {WORD} palm"
RECORDS = [entity("e1", "Mara Voss"), owns("o1", "brass key", "Mara Voss", QUOTE)]


@pytest.fixture(scope="module")
def application(shared_environment: dict[str, str]) -> Iterator[Application]:
    with Application(Settings.from_env(shared_environment)) as built:
        yield built


def told(story: str) -> str:
    """A text that no other story has."""
    return f"{TOLD} So ends {story}."


def tell(application: Application, story: str) -> None:
    """Chapter 1 is about somebody else, chapter 2 has the word."""
    application.publisher.publish(story, 1, "Tomas Reyle waited.", records=[entity("e1", "Tomas Reyle")])
    application.publisher.publish(story, 2, told(story), records=RECORDS)


def rows_with(dsn: str, word: str) -> list[str]:
    """Every table of the database, and every sample that the server took of one, in which the word occurs."""
    found = []
    with psycopg.connect(dsn) as conn:
        tables = conn.execute(
            "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
            " AND table_schema NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        assert ("ledger", "texts") in tables
        for table in tables:
            name = sql.Identifier(*table)
            query = sql.SQL("SELECT count(*) FROM {} AS t WHERE t::text ILIKE %s OR t::text ILIKE %s").format(name)
            # what is kept as bytes is shown in hexadecimal digits
            row = conn.execute(query, (f"%{word}%", f"%{word.encode().hex()}%")).fetchone()
            found += [".".join(table)] if row and row[0] else []
        samples = conn.execute(
            "SELECT schemaname || '.' || tablename FROM pg_stats WHERE most_common_vals::text ILIKE %(word)s"
            " OR histogram_bounds::text ILIKE %(word)s",
            {"word": f"%{word}%"},
        ).fetchall()
    return found + [row[0] for row in samples]


def answers(application: Application, story: str) -> str:
    """What can be asked about the story, now and as it was believed at any time, in one string."""
    said: list[Any] = []
    reader, retriever = application.reading(), application.asking()
    last = application.ledger.last_position()
    for moment in range(last + 1):
        for ask in (
            lambda m=moment: reader.state(story, at=2, as_recorded=m),
            lambda m=moment: reader.entity(story, "Mara Voss", at=2, as_recorded=m),
            lambda m=moment: retriever.packet(story, f"Who has the brass key of the {WORD[:-1]}?", as_recorded=m),
        ):
            try:
                said.append({name: value for name, value in ask().items() if name != "question"})
            except Exception as error:  # noqa: BLE001 - before anything was told there is nothing to ask
                said.append(str(error))
    said += [reader.history(story, "owner(brass key)"), reader.audit(story), reader.timeline(story)]
    return json.dumps(said, default=str)


def test_after_a_takedown_a_word_of_the_chapter_occurs_nowhere(environment: dict[str, str]) -> None:
    dsn = environment["FABULA_POSTGRES"]
    with Application(Settings.from_env(environment)) as application:
        tell(application, "lantern")
        with psycopg.connect(dsn, autocommit=True) as conn:
            conn.execute("ANALYZE")
        assert {"ledger.texts", "ledger.publications"} < set(rows_with(dsn, WORD))
        assert WORD in answers(application, "lantern")
        before = application.ledger.events_after(0, 1_000)
        application.publisher.retract("lantern", 2)
        reply = application.takedown.take_down("lantern", 2, everything=True, by="legal")
        assert reply["erased"] == [{"chapter": 2, "revision": 1}]
        assert rows_with(dsn, WORD) == []
        assert WORD not in answers(application, "lantern")
        assert application.ledger.events_after(0, len(before)) == before
        assert application.reading().state("lantern", at=2, as_recorded=before[-1].position)["state"] != []


def test_by_default_only_texts_that_were_replaced_are_erased(application: Application, story: str) -> None:
    tell(application, story)
    application.publisher.publish(story, 2, EDITED, records=[RECORDS[0]])
    application.publisher.publish(story, 3, "Ilse Dorn slept.", records=[entity("e1", "Ilse Dorn")])
    application.publisher.retract(story, 3)
    reply = application.takedown.take_down(story)
    assert reply["erased"] == [{"chapter": 2, "revision": 1}, {"chapter": 3, "revision": 1}]
    assert WORD not in answers(application, story)
    entity_now = application.reading().entity(story, "Mara Voss", at=2)
    assert "Mara Voss" in json.dumps([entity_now], default=str)
    packet = application.asking().packet(story, "Who shut the door?", at=2)
    assert "shut the door" in json.dumps(packet)


def test_a_chapter_without_its_text_is_still_read(application: Application, story: str) -> None:
    tell(application, story)
    digest = application.reading().state(story)["digest"]
    application.takedown.take_down(story, 2, everything=True)
    state = application.reading().state(story)
    assert state["digest"] == digest
    (entry,) = state["state"]
    assert (entry["key"], entry["value"]) == ("owner(brass key)", "Mara Voss")
    assert entry["evidence"][0]["quote"] is None
    assert entry["evidence"][0]["end"] > entry["evidence"][0]["start"]
    packet = application.asking().packet(story, "Who has the brass key?", method="nwm")
    assert "brass key" in json.dumps(packet)
    assert WORD not in json.dumps(packet)


def test_what_is_left_is_what_a_rebuild_without_the_text_gives(application: Application, story: str) -> None:
    tell(application, story)
    application.publisher.publish(story, 2, EDITED, records=[RECORDS[0]])
    application.takedown.take_down(story)
    application.takedown.take_down(story, 2, everything=True)
    (words,) = [each for each in application.projections if each.name.startswith("passages")]
    before = words_of(application, story)
    assert before
    versions.rebuild(application.pool, application.ledger, words)
    assert words_of(application, story) == before


def words_of(application: Application, story: str) -> list[Any]:
    """Passages and record texts of the story, with their vectors."""
    with application.pool.connection() as conn:
        schema = progress.live(conn, ["passages_hash"])["passages_hash"].schema
        passages, records = (sql.Identifier(schema, table) for table in ("passages", "records"))
        columns = "text, vector::text, recorded FROM {} WHERE story = %(s)s"
        query = sql.SQL(
            f"SELECT revision::text AS a, ordinal::bigint AS b, {columns} UNION ALL SELECT uid, seen, {columns} ORDER BY a, b"
        ).format(passages, records)
        found = conn.execute(query, {"s": story})
        rows: list[Any] = found.fetchall()
        return rows


def test_a_text_that_stands_elsewhere_too_is_kept_and_named(application: Application, story: str) -> None:
    tell(application, story)
    application.publisher.publish(f"{story}-2", 7, told(story), records=RECORDS)
    reply = application.takedown.take_down(story, 2, everything=True)
    assert reply["erased"] == []
    (kept,) = reply["kept"]
    assert kept["same_text_as"] == {"story": f"{story}-2", "chapter": 7, "revision": 1}
    assert WORD in answers(application, story)


def test_a_text_that_is_on_its_way_is_waited_for(application: Application, story: str) -> None:
    tell(application, story)
    application.ledger.register(PublicationRequest(story=story, chapter=2, action="publish", text="Not yet taken in."))
    with pytest.raises(Conflict, match="on its way"):
        application.takedown.take_down(story, 2, everything=True)
    assert WORD in answers(application, story)


@pytest.mark.parametrize(
    ("chapter", "everything", "refusal"),
    [(None, True, InvalidInput), (9, False, UnknownChapter), (9, True, UnknownChapter)],
)
def test_what_cannot_be_meant_is_refused(
    application: Application, story: str, chapter: int | None, everything: bool, refusal: type[Exception]
) -> None:
    tell(application, story)
    with pytest.raises(refusal):
        application.takedown.take_down(story, chapter, everything=everything)
    with pytest.raises(UnknownStory):
        application.takedown.take_down("nobody-told-this")


def test_a_takedown_that_was_interrupted_is_finished_by_the_next(application: Application, story: str) -> None:
    tell(application, story)
    calls = iter([None, Unavailable("gone")])

    def waiting(_: int) -> None:
        if error := next(calls, None):
            raise error

    interrupted = Takedown(
        application.ledger, application.pool, lambda _: application.retriever._embedder, wait=waiting
    )
    with pytest.raises(Unavailable):
        interrupted.take_down(story, 2, everything=True)
    assert application.takedown.take_down(story, 2, everything=True)["erased"] == [{"chapter": 2, "revision": 1}]
    assert WORD not in answers(application, story)
    assert [each["done"] for each in application.reading().audit(story)["takedowns"]] == [False, True]


def test_the_audit_says_who_had_what_erased_and_no_more_than_its_reader_knows(
    application: Application, story: str
) -> None:
    tell(application, story)
    before = application.reading().audit(story, at=1)
    application.takedown.take_down(story, 2, everything=True, by="legal", reason="a letter of 3 May")
    (told,) = application.reading().audit(story)["takedowns"]
    assert (told["by"], told["reason"], told["erased"]) == (
        "legal",
        "a letter of 3 May",
        [{"chapter": 2, "revision": 1}],
    )
    assert application.reading().audit(story, at=1) == before


def test_another_process_forgets_what_was_erased(application: Application, story: str) -> None:
    tell(application, story)
    forgotten: list[str] = []
    now = [0.0]
    watch = TakedownWatch(application.pool, forgotten.extend, clock=lambda: now[0])
    watch.look()
    application.takedown.take_down(story, 2, everything=True)
    watch.look()
    watch.look()
    assert len(forgotten) == 1
    now[0] = 60.0  # what a read under way had kept is forgotten too
    watch.look()
    assert len(forgotten) == 2
    assert application.ledger.texts(forgotten) == {}


def test_a_model_s_replies_about_the_chapter_go_too(application: Application, story: str) -> None:
    from services.extraction.claude.account import PostgresAccount

    tell(application, story)
    PostgresAccount(application.pool).migrate()
    with application.pool.connection() as conn:
        conn.execute(
            "INSERT INTO claude.transcripts (key, purpose, model, prompt_version, prompt_digest, text_digest, context_digest,"
            " reply, ending) VALUES (%s, 'extract', 'm', 'v', 'd', 't', 'c', %s, 'complete')",
            (f"{story}-key", TOLD),
        )
        conn.execute("INSERT INTO claude.uses VALUES (%s, 2, %s)", (story, f"{story}-key"))
    application.takedown.take_down(story, 2, everything=True)
    with application.pool.connection() as conn:
        assert conn.execute("SELECT * FROM claude.transcripts WHERE key = %s", (f"{story}-key",)).fetchall() == []


def test_what_was_erased_can_be_published_again(application: Application, story: str) -> None:
    tell(application, story)
    application.publisher.retract(story, 2)
    application.takedown.take_down(story, 2, everything=True)
    application.publisher.publish(story, 2, told(story), records=RECORDS)
    assert application.reading().state(story)["state"][0]["evidence"][0]["quote"] == QUOTE


def test_publishing_the_very_chapter_that_was_erased_brings_it_back(application: Application, story: str) -> None:
    tell(application, story)
    before = application.reading().state(story)["state"]
    application.takedown.take_down(story, 2, everything=True)
    foreseen = application.ledger.foresee(application.publisher.request(story, 2, told(story), records=RECORDS))
    assert (foreseen.unchanged, foreseen.publication.revision) == (False, 2)
    reply = application.publisher.publish(story, 2, told(story), records=RECORDS)
    assert (reply["unchanged"], reply["revision"]) == (False, 2)
    [item] = application.reading().state(story)["state"]
    assert {**item["evidence"][0], "revision": 1} == before[0]["evidence"][0]
    [found] = application.asking().packet(story, WORD, at=2, method="bm25")["items"]
    assert WORD in found["text"]
    assert application.publisher.publish(story, 2, told(story), records=RECORDS)["unchanged"]


def test_over_http(application: Application, story: str) -> None:
    tell(application, story)
    with TestClient(create_app(application), raise_server_exceptions=False) as client:
        assert client.delete(f"/v1/stories/{story}/texts?all=true").status_code == 422
        assert client.delete(f"/v1/stories/{story}/texts?chapter=two").status_code == 422
        assert client.delete(f"/v1/stories/{story}/texts?chaptre=2").status_code == 422
        assert client.delete(f"/v1/stories/{story}/texts?chapter=9").status_code == 404
        assert client.delete(f"/v1/stories/{story}/texts").json()["erased"] == []
        reply = client.delete(f"/v1/stories/{story}/texts?chapter=2&all=true&by=legal")
        assert (reply.status_code, reply.json()["erased"]) == (200, [{"chapter": 2, "revision": 1}])
    assert WORD not in answers(application, story)


def test_from_the_command_line_it_has_to_be_meant(
    application: Application, shared_environment: dict[str, str], story: str
) -> None:
    tell(application, story)

    def run(*more: str) -> Any:
        return fabula("takedown", story, "--chapter", "2", *more, environment=shared_environment)

    assert run("--all").returncode == 2
    assert b"--yes" in run("--all").stderr
    assert json.loads(run("--all", "--dry-run", "--json").stdout)["erased"] == [{"chapter": 2, "revision": 1}]
    assert WORD in answers(application, story)
    done = run("--all", "--yes", "--by", "legal")
    assert done.returncode == 0, done.stderr
    assert b"the text of 1 revision is erased" in done.stdout


def test_no_document_of_the_index_has_the_word(
    postgres_server: str, elasticsearch_server: str, tmp_path: Any, story: str
) -> None:
    from elasticsearch import Elasticsearch

    with fresh_database(postgres_server) as dsn:
        environment = {**environment_for(dsn, tmp_path), "FABULA_ELASTICSEARCH": elasticsearch_server}
        with Application(Settings.from_env(environment)) as application, Elasticsearch(elasticsearch_server) as client:

            def documents(match: Callable[[str], bool]) -> list[str]:
                hits = client.search(index="*", query={"term": {"story": story}}, size=1_000)["hits"]["hits"]
                return [text for hit in hits if match(text := json.dumps(hit["_source"]))]

            tell(application, story)
            assert documents(lambda text: WORD in text)
            application.takedown.take_down(story, 2, everything=True)
            assert documents(lambda text: WORD in text) == []
            assert documents(lambda text: "brass key" in text)
            application.publisher.publish(story, 2, EDITED, records=RECORDS[:1])
            assert documents(lambda text: "shut the door" in text)
            assert rows_with(dsn, WORD) == []
        plain = {name: value for name, value in environment.items() if name != "FABULA_ELASTICSEARCH"}
        with (
            Application(Settings.from_env(plain)) as application,
            pytest.raises(Conflict, match="FABULA_ELASTICSEARCH"),
        ):
            application.takedown.take_down(story)
