-- What the model said, and what it cost. Nothing here is needed for a replay; dropping it only makes reading dear again.
CREATE SCHEMA IF NOT EXISTS claude;
-- One row a question. `complete` replies are never paid for again, `truncated` ones say that the text must be split.
CREATE TABLE IF NOT EXISTS claude.transcripts (
    key text PRIMARY KEY,
    purpose text NOT NULL,
    model text NOT NULL,
    prompt_version text NOT NULL,
    prompt_digest text NOT NULL,
    text_digest text NOT NULL,
    context_digest text NOT NULL,
    reply text NOT NULL,
    ending text NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS transcripts_text ON claude.transcripts (text_digest);
-- One row a call that was paid for.
CREATE TABLE IF NOT EXISTS claude.calls (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    story text NOT NULL,
    chapter integer NOT NULL,
    purpose text NOT NULL,
    model text NOT NULL,
    prompt_version text NOT NULL,
    prompt_digest text NOT NULL,
    ending text NOT NULL,
    batch boolean NOT NULL,
    input_tokens integer NOT NULL,
    cache_write_tokens integer NOT NULL,
    cache_read_tokens integer NOT NULL,
    output_tokens integer NOT NULL,
    usd double precision NOT NULL,
    seconds double precision NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS calls_story ON claude.calls (story, chapter);
