-- name: open_chapter
-- The chapter has a new current revision (text_hash NULL: none, it is retracted).
INSERT INTO chapters (story, chapter, revision, text_hash, title, language, recorded)
VALUES (%(story)s, %(chapter)s, %(revision)s, %(text_hash)s, %(title)s, %(language)s, int8range(%(position)s, NULL));

-- name: note_superseded
-- An older revision arrived late: its text is referred to, and never current.
INSERT INTO chapters (story, chapter, revision, text_hash, title, language, recorded)
VALUES (%(story)s, %(chapter)s, %(revision)s, %(text_hash)s, %(title)s, %(language)s, 'empty');

-- name: close_chapter
UPDATE chapters SET recorded = int8range(lower(recorded), %(position)s)
WHERE story = %(story)s AND chapter = %(chapter)s AND upper_inf(recorded);

-- name: close_passages
UPDATE passages SET recorded = int8range(lower(recorded), %(position)s)
WHERE story = %(story)s AND chapter = %(chapter)s AND upper_inf(recorded);

-- name: open_passage
INSERT INTO passages (story, chapter, revision, ordinal, start_at, end_at, text, text_hash, vector, recorded)
VALUES (%(story)s, %(chapter)s, %(revision)s, %(ordinal)s, %(start)s, %(end)s, %(text)s, %(hash)s,
        {vector}, int8range(%(position)s, NULL));

-- name: assert_record
INSERT INTO records (story, uid, seen, chapter, name, revision, kind, payload, evidence, scene, start_at, ordinal,
                     mentions, settings, text, text_hash, vector, recorded)
VALUES (%(story)s, %(uid)s, %(position)s, %(chapter)s, %(name)s, %(revision)s, %(kind)s, %(payload)s::jsonb,
        %(evidence)s::jsonb, %(scene)s, %(start)s, %(ordinal)s, %(mentions)s::jsonb, %(settings)s::jsonb,
        %(text)s, %(hash)s, {vector}, int8range(%(position)s, NULL));

-- name: close_carried
-- Only a carry into the current revision changes what is shown.
UPDATE records SET recorded = int8range(lower(recorded), %(position)s)
WHERE story = %(story)s AND uid = %(uid)s AND upper_inf(recorded)
  AND EXISTS (SELECT FROM chapters c WHERE c.story = %(story)s AND c.chapter = %(chapter)s
              AND c.revision = %(revision)s AND upper_inf(c.recorded));

-- name: carry_record
-- Live if a live row was closed for it just now; else kept for a reinstatement.
INSERT INTO records (story, uid, seen, chapter, name, revision, kind, payload, evidence, scene, start_at, ordinal,
                     mentions, settings, text, text_hash, vector, recorded)
SELECT %(story)s, %(uid)s, %(position)s, %(chapter)s, %(name)s, %(revision)s, %(kind)s, %(payload)s::jsonb,
       %(evidence)s::jsonb, %(scene)s, %(start)s, %(ordinal)s, %(mentions)s::jsonb, %(settings)s::jsonb,
       %(text)s, %(hash)s, {vector},
       CASE WHEN EXISTS (SELECT FROM records r WHERE r.story = %(story)s AND r.uid = %(uid)s AND upper(r.recorded) = %(position)s)
            THEN int8range(%(position)s, NULL) ELSE 'empty' END
WHERE EXISTS (SELECT FROM chapters c WHERE c.story = %(story)s AND c.chapter = %(chapter)s
              AND c.revision = %(revision)s AND upper_inf(c.recorded));

-- name: close_record
UPDATE records SET recorded = int8range(lower(recorded), %(position)s)
WHERE story = %(story)s AND uid = %(uid)s AND upper_inf(recorded);

-- name: reinstate_record
INSERT INTO records (story, uid, seen, chapter, name, revision, kind, payload, evidence, scene, start_at, ordinal,
                     mentions, settings, text, text_hash, vector, recorded)
SELECT story, uid, %(position)s, chapter, name, revision, kind, payload, evidence, scene, start_at, ordinal,
       mentions, settings, text, text_hash, vector, int8range(%(position)s, NULL)
FROM records r WHERE story = %(story)s AND uid = %(uid)s
  AND NOT EXISTS (SELECT FROM records o WHERE o.story = %(story)s AND o.uid = %(uid)s AND upper_inf(o.recorded))
ORDER BY seen DESC LIMIT 1;

-- name: rebind_record
INSERT INTO records (story, uid, seen, chapter, name, revision, kind, payload, evidence, scene, start_at, ordinal,
                     mentions, settings, text, text_hash, vector, recorded)
SELECT story, uid, %(position)s, chapter, name, revision, kind, payload, evidence, scene, start_at, ordinal,
       %(mentions)s::jsonb, %(settings)s::jsonb, text, text_hash, vector,
       CASE WHEN EXISTS (SELECT FROM records o WHERE o.story = %(story)s AND o.uid = %(uid)s AND upper(o.recorded) = %(position)s)
            THEN int8range(%(position)s, NULL) ELSE 'empty' END
FROM records r WHERE story = %(story)s AND uid = %(uid)s
ORDER BY seen DESC LIMIT 1;

-- name: open_link
INSERT INTO links (story, chapter, rank, a, b, origin, recorded)
VALUES (%(story)s, %(chapter)s, %(rank)s, %(a)s, %(b)s, %(origin)s, int8range(%(position)s, NULL));

-- name: close_link
UPDATE links SET recorded = int8range(lower(recorded), %(position)s)
WHERE story = %(story)s AND chapter = %(chapter)s AND rank = %(rank)s AND a = %(a)s AND b = %(b)s AND origin = %(origin)s
  AND upper_inf(recorded);

-- name: name_checkpoint
INSERT INTO checkpoints (story, name, at, seen) VALUES (%(story)s, %(name)s, %(at)s, %(position)s);

-- name: touch
INSERT INTO touches (story, correlation, chapter, position, recorded_at, counts)
VALUES (%(story)s, %(correlation)s, %(chapter)s, %(position)s, %(recorded_at)s, %(counts)s)
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
