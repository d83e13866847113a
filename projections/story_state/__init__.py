"""The state of a story on two axes: what holds after which chapters, and in which range of positions that was believed."""
