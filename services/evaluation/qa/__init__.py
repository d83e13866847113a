"""How well questions are answered from packets: a reader held constant over all methods."""
