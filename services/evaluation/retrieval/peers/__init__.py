"""Other systems in the same harness: same chapters, same questions, same budget, their own defaults."""
