"""How good and how fast the product is, measured."""
