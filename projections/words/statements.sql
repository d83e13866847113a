-- name: known_records
-- What the newest row of each record shows, and whether one of its rows is open.
SELECT n.story, n.uid, r.chapter, r.name, r.revision, r.kind, r.payload::text, r.evidence::text, r.scene, r.start_at,
       r.ordinal, r.mentions::text, r.settings::text, r.text, encode(r.text_hash, 'hex'),
       EXISTS (SELECT FROM records o WHERE o.story = n.story AND o.uid = n.uid AND upper_inf(o.recorded))
FROM json_to_recordset(%(rows)s::json) AS n (story text, uid text)
CROSS JOIN LATERAL (SELECT * FROM records r WHERE r.story = n.story AND r.uid = n.uid ORDER BY seen DESC LIMIT 1) AS r;

-- name: known_revisions
-- The current revision of each chapter.
SELECT c.story, c.chapter, c.revision
FROM json_to_recordset(%(rows)s::json) AS n (story text, chapter integer)
JOIN chapters c ON c.story = n.story AND c.chapter = n.chapter AND upper_inf(c.recorded);

-- name: end_chapters
UPDATE chapters AS t SET recorded = int8range(lower(t.recorded), e.until)
FROM json_to_recordset(%(rows)s::json) AS e (story text, chapter integer, until bigint)
WHERE t.story = e.story AND t.chapter = e.chapter AND upper_inf(t.recorded);

-- name: end_passages
UPDATE passages AS t SET recorded = int8range(lower(t.recorded), e.until)
FROM json_to_recordset(%(rows)s::json) AS e (story text, chapter integer, until bigint)
WHERE t.story = e.story AND t.chapter = e.chapter AND upper_inf(t.recorded);

-- name: end_records
UPDATE records AS t SET recorded = int8range(lower(t.recorded), e.until)
FROM json_to_recordset(%(rows)s::json) AS e (story text, uid text, until bigint)
WHERE t.story = e.story AND t.uid = e.uid AND upper_inf(t.recorded);

-- name: end_links
UPDATE links AS t SET recorded = int8range(lower(t.recorded), e.until)
FROM json_to_recordset(%(rows)s::json)
    AS e (story text, chapter integer, rank integer, a text, b text, origin text, until bigint)
WHERE t.story = e.story AND t.chapter = e.chapter AND t.rank = e.rank AND t.a = e.a AND t.b = e.b
  AND t.origin = e.origin AND upper_inf(t.recorded);

-- name: add_chapters
INSERT INTO chapters (story, chapter, revision, text_hash, title, language, recorded)
SELECT story, chapter, revision, text_hash, title, language, recorded
FROM json_to_recordset(%(rows)s::json)
    AS n (story text, chapter integer, revision integer, text_hash text, title text, language text, recorded int8range);

-- name: add_passages
INSERT INTO passages (story, chapter, revision, ordinal, start_at, end_at, text, text_hash, vector, recorded)
SELECT story, chapter, revision, ordinal, start_at, end_at, text, decode(hash, 'hex'), {vector}, recorded
FROM json_to_recordset(%(rows)s::json)
    AS n (story text, chapter integer, revision integer, ordinal integer, start_at integer, end_at integer, text text,
          hash text, recorded int8range);

-- name: add_records
INSERT INTO records (story, uid, seen, chapter, name, revision, kind, payload, evidence, scene, start_at, ordinal,
                     mentions, settings, text, text_hash, vector, recorded)
SELECT story, uid, seen, chapter, name, revision, kind, payload, evidence, scene, start_at, ordinal,
       mentions, settings, text, decode(hash, 'hex'), {vector}, recorded
FROM json_to_recordset(%(rows)s::json)
    AS n (story text, uid text, seen bigint, chapter integer, name text, revision integer, kind text, payload jsonb,
          evidence jsonb, scene integer, start_at integer, ordinal integer, mentions jsonb, settings jsonb, text text,
          hash text, recorded int8range);

-- name: add_links
INSERT INTO links (story, chapter, rank, a, b, origin, recorded)
SELECT story, chapter, rank, a, b, origin, recorded
FROM json_to_recordset(%(rows)s::json)
    AS n (story text, chapter integer, rank integer, a text, b text, origin text, recorded int8range);

-- name: add_checkpoints
INSERT INTO checkpoints (story, name, at, seen)
SELECT story, name, at, seen FROM json_to_recordset(%(rows)s::json) AS n (story text, name text, at integer, seen bigint);

-- name: touch
INSERT INTO touches (story, correlation, chapter, position, recorded_at, counts)
SELECT story, correlation, chapter, position, recorded_at, counts
FROM json_to_recordset(%(rows)s::json)
    AS n (story text, correlation text, chapter integer, position bigint, recorded_at timestamptz, counts boolean)
ON CONFLICT (story, correlation, chapter, counts)
DO UPDATE SET position = greatest(touches.position, excluded.position),
              recorded_at = greatest(touches.recorded_at, excluded.recorded_at);

-- name: purge_passages
-- Superseded rows of a chapter (NULL: of every chapter): what was believed then is no longer readable.
DELETE FROM passages WHERE story = %(story)s AND (%(chapter)s::integer IS NULL OR chapter = %(chapter)s)
  AND NOT upper_inf(recorded) RETURNING text_hash;

-- name: purge_records
DELETE FROM records r WHERE story = %(story)s AND (%(chapter)s::integer IS NULL OR chapter = %(chapter)s)
  AND NOT upper_inf(recorded)
  AND (seen < (SELECT max(seen) FROM records o WHERE o.story = r.story AND o.uid = r.uid)
       OR NOT EXISTS (SELECT FROM chapters c WHERE c.story = r.story AND c.chapter = r.chapter
                      AND c.revision = r.revision AND upper_inf(c.recorded)))
RETURNING text_hash;
