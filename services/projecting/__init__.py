"""Projecting: which read models there are, and the runner that feeds them."""
