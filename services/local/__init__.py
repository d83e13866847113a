"""The stack on one machine without Docker: PostgreSQL from a wheel, Kafka and Elasticsearch from Maven artifacts."""
