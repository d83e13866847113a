-- What the ledger keeps beside the events, in the same schema. Applied once, by `Ledger.migrate`.

-- Texts by content hash; events hold the hash, so a takedown erases a text without touching the log.
CREATE TABLE IF NOT EXISTS texts (
    hash text PRIMARY KEY,
    body text,
    stored_at timestamptz NOT NULL DEFAULT now()
);

-- Which texts were erased, when, and who asked for it; `revisions` are [chapter, revision]. Not done: it was interrupted.
CREATE TABLE IF NOT EXISTS takedowns (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    story text NOT NULL,
    chapter integer,
    everything boolean NOT NULL,
    revisions jsonb NOT NULL,
    asked_by text NOT NULL,
    reason text NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT now(),
    done_at timestamptz
);

-- The counter that gives publications their numbers.
CREATE TABLE IF NOT EXISTS stories (
    story text PRIMARY KEY,
    last_sequence bigint NOT NULL DEFAULT 0
);

-- Every publication, from the moment it is accepted: the outbox of the broker, and where its outcome is read.
CREATE TABLE IF NOT EXISTS publications (
    story text NOT NULL,
    sequence bigint NOT NULL,
    chapter integer NOT NULL,
    revision integer NOT NULL,
    action text NOT NULL,
    content_hash text NOT NULL,
    text_hash text,
    body jsonb NOT NULL,
    status text NOT NULL DEFAULT 'accepted' CHECK (status IN ('accepted', 'appended', 'dead', 'discarded')),
    published_at timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 0,
    error text,
    first_position bigint,
    last_position bigint,
    events integer,
    rejected jsonb NOT NULL DEFAULT '[]',
    warnings jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (story, sequence)
);
-- Why a publication that was accepted is not taken in yet: the kind of problem, and when it is worth trying again.
-- Altering a table locks everybody out, also where there is nothing to alter: so it is asked first.
DO $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = 'publications'::regclass AND attname = 'waits_until' AND NOT attisdropped
    ) THEN
        ALTER TABLE publications ADD COLUMN IF NOT EXISTS waits_for text, ADD COLUMN IF NOT EXISTS waits_until timestamptz;
    END IF;
END
$$;
CREATE INDEX IF NOT EXISTS publications_of_chapter ON publications (story, chapter, sequence DESC);
CREATE INDEX IF NOT EXISTS publications_unfinished ON publications (status, published_at) WHERE status <> 'appended';

-- Which stories are branches of which: from the chapter `forked_at` on they go their own ways. `sequence` and `position`
-- are where the parent stood: the number of its last publication, and its place in the log.
CREATE TABLE IF NOT EXISTS branches (
    branch text PRIMARY KEY,
    parent text NOT NULL,
    name text NOT NULL,
    forked_at integer NOT NULL,
    sequence bigint NOT NULL,
    position bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    dropped_at timestamptz,
    UNIQUE (parent, name)
);

-- Which source offsets have been dealt with: recorded with the events they led to, never before.
CREATE TABLE IF NOT EXISTS source_offsets (
    topic text NOT NULL,
    partition integer NOT NULL,
    offsets int8multirange NOT NULL DEFAULT '{}',
    PRIMARY KEY (topic, partition)
);
