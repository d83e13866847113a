-- Questions that editors keep, to see whether an edit would change what is found for them.
CREATE SCHEMA IF NOT EXISTS auditing;
CREATE TABLE IF NOT EXISTS auditing.questions (
    story text NOT NULL,
    number integer NOT NULL,
    question text NOT NULL,
    at integer,
    kept_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (story, number)
);
