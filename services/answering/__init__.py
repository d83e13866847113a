"""Answers to questions from packets of evidence."""
