"""Reading the story: every answer is as of a chapter, and as of what was believed at a position of the log."""
