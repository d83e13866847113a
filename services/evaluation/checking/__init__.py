"""How well a check finds what is wrong with a draft, and how often it cries wolf: seeded contradictions and clean edits."""
