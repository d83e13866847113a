-- Made after a bulk rebuild has filled the tables.
CREATE UNIQUE INDEX ON publications (story, last_position);
CREATE INDEX ON chapter_positions (story, position DESC, chapter);
CREATE UNIQUE INDEX ON chapters (story, chapter, revision);
CREATE INDEX ON checkpoints (story, name);
CREATE INDEX assertions_of_key ON assertions (story, node_key, chapter, scene, start, ordinal, uid) WHERE upper_inf(recorded);
CREATE INDEX assertions_by_key ON assertions (story, node_key, chapter);
CREATE INDEX assertions_of_record ON assertions (uid, story) WHERE upper_inf(recorded);
CREATE UNIQUE INDEX ON key_entities (story, entity, node_key);
CREATE INDEX intervals_open ON intervals (story, node_key, (coalesce(upper(valid), 2147483647))) WHERE upper_inf(recorded);
CREATE UNIQUE INDEX ON intervals (id);
CREATE INDEX intervals_of_story ON intervals (story);
CREATE UNIQUE INDEX ON assertions (id);
CREATE UNIQUE INDEX ON records (id);
