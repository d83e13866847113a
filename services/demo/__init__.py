"""The demonstration: a serial of ten chapters, edits, and questions whose answers depend on how far one has read."""
