"""Fixtures for every test: the real services, started once a session (see services_fixtures.py)."""

pytest_plugins = ["tests.services_fixtures", "tests.serving_fixtures"]
