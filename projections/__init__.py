"""Read models: one folder each, folded from the log, each with its own position."""
