"""Fixtures for every test: the real services, started once a session (see services_fixtures.py)."""

from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.services_fixtures", "tests.serving_fixtures", "tests.claude_product"]

# machines that run the tests are shared: how long an example takes says nothing about the product
settings.register_profile("fabula", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fabula")
