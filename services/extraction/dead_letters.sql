-- Messages that nobody could read, by where they stood on the broker. Publications that failed are in ledger.publications.
CREATE SCHEMA IF NOT EXISTS intake;
CREATE TABLE IF NOT EXISTS intake.unreadable_messages (
    topic text NOT NULL,
    partition integer NOT NULL,
    "offset" bigint NOT NULL,
    payload bytea,
    error text NOT NULL,
    attempts integer NOT NULL DEFAULT 1,
    failed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, partition, "offset")
);
