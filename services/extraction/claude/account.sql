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
-- For which chapters a reply was used: what is taken down with a story takes its replies along. Chapter 0: for the story as a whole.
CREATE TABLE IF NOT EXISTS claude.uses (
    story text NOT NULL,
    chapter integer NOT NULL,
    key text NOT NULL,
    PRIMARY KEY (story, chapter, key)
);
-- How much of a chapter has been read, in stretches; the last reading of each chapter.
CREATE TABLE IF NOT EXISTS claude.progress (
    story text NOT NULL,
    chapter integer NOT NULL,
    done integer NOT NULL,
    stretches integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (story, chapter)
);
-- Batches that were sent, from the moment before: one without the service's name for it was about to be sent when we ended.
CREATE TABLE IF NOT EXISTS claude.batches (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    story text NOT NULL,
    batch text UNIQUE,
    requests integer NOT NULL,
    expected_usd double precision NOT NULL,
    status text NOT NULL DEFAULT 'sending' CHECK (status IN ('sending', 'sent', 'collected', 'lost')),
    sent_at timestamptz NOT NULL DEFAULT now(),
    collected_at timestamptz,
    stored integer NOT NULL DEFAULT 0,
    usd double precision NOT NULL DEFAULT 0,
    failed jsonb NOT NULL DEFAULT '{}'
);
-- The questions of a batch: all that is needed to keep the replies, and no text.
CREATE TABLE IF NOT EXISTS claude.batch_requests (
    number bigint NOT NULL REFERENCES claude.batches ON DELETE CASCADE,
    custom_id text NOT NULL,
    chapter integer NOT NULL,
    request jsonb NOT NULL,
    PRIMARY KEY (number, custom_id)
);
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
