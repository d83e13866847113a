"""Who is there and who is only spoken of, chapter by chapter."""
