"""The entities of a story: mentions, names, links between them and typed edges, each with when it was believed."""
