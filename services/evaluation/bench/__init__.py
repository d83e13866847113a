"""Benchmarks: each measure is taken against real services, in one run, and reported with what it is held against."""
