"""Passages of the chapters and texts of the records, with their vectors and the interval of the log in which they stood."""
