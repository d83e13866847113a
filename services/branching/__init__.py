"""What-if branches: a story that begins with what another one says up to a chapter, and then goes its own way."""
