"""Takedown: the texts of chapters erased wherever they are kept, and the log left as it is."""
