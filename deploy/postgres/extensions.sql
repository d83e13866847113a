-- What the product needs of a PostgreSQL (17 or newer, with pgvector), once per database, by a user who may.
CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
