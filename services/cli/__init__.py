"""The command line: `fabula`."""
