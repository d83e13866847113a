"""Lexical documents in Elasticsearch. It finds candidates; what they are worth is computed from the story's own slice."""
