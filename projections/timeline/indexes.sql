CREATE INDEX appearances_of_record ON appearances (story, uid) WHERE upper_inf(recorded);
CREATE INDEX appearances_of_story ON appearances (story, chapter);
CREATE INDEX appearances_of_entity ON appearances (story, entity, chapter);
