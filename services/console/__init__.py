"""The HTTP API and the pages: every operation of the command line, over HTTP, with the same JSON."""
