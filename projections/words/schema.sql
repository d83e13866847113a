-- Rows hold for the positions in `recorded`: an open upper bound is the present belief. Rows are closed, never changed.
-- An empty interval keeps what a record that is not live would show if it were reinstated.

CREATE TABLE chapters (
    story text NOT NULL,
    chapter integer NOT NULL,
    revision integer NOT NULL,
    text_hash text,                        -- NULL: retracted
    title text,
    language text NOT NULL,
    recorded int8range NOT NULL,
    PRIMARY KEY (story, chapter, revision)
);

CREATE TABLE passages (
    story text NOT NULL,
    chapter integer NOT NULL,
    revision integer NOT NULL,
    ordinal integer NOT NULL,              -- from 0 in its chapter
    start_at integer NOT NULL,             -- code points of the chapter's text, half open
    end_at integer NOT NULL,
    text text NOT NULL,
    text_hash bytea NOT NULL,
    vector vector(384),
    recorded int8range NOT NULL,
    PRIMARY KEY (story, chapter, revision, ordinal)
);
CREATE INDEX passages_open ON passages (story, chapter) WHERE upper_inf(recorded);

CREATE TABLE records (
    story text NOT NULL,
    uid text NOT NULL,
    seen bigint NOT NULL,                  -- position of the event that made this row
    chapter integer NOT NULL,
    name text NOT NULL,
    revision integer NOT NULL,
    kind text NOT NULL,
    payload jsonb NOT NULL,
    evidence jsonb NOT NULL,               -- [[start, end], ...]
    scene integer NOT NULL,
    start_at integer NOT NULL,
    ordinal integer NOT NULL,
    mentions jsonb NOT NULL,               -- [[slot, entity, surface], ...]
    settings jsonb NOT NULL,               -- [[functor, [[key, text, entity], ...], [key, text, entity] | null, arrow], ...]
    text text NOT NULL,
    text_hash bytea NOT NULL,
    vector vector(384),
    recorded int8range NOT NULL,
    PRIMARY KEY (story, uid, seen)
);
CREATE INDEX records_open ON records (story, chapter) WHERE upper_inf(recorded);

CREATE TABLE links (
    story text NOT NULL,
    chapter integer NOT NULL,
    rank integer NOT NULL,
    a text NOT NULL,
    b text NOT NULL,
    origin text NOT NULL,
    recorded int8range NOT NULL
);
CREATE INDEX links_of_story ON links (story, chapter);

CREATE TABLE checkpoints (
    story text NOT NULL,
    name text NOT NULL,
    at integer NOT NULL,
    seen bigint NOT NULL,
    PRIMARY KEY (story, name, seen)
);

-- Where each publication touched which chapter: a read begins at the end of a publication, never inside one.
CREATE TABLE touches (
    story text NOT NULL,
    correlation text NOT NULL,
    chapter integer NOT NULL,
    position bigint NOT NULL,              -- of the publication's last event about the chapter
    recorded_at timestamptz NOT NULL,
    counts boolean NOT NULL,               -- false: a checkpoint was named, which changes no chapter
    PRIMARY KEY (story, correlation, chapter, counts)
);
CREATE INDEX touches_by_position ON touches (story, position);
