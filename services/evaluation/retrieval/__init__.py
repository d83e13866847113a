"""How well packets hold what a question needs: data, methods beside controls, measures, a report."""
