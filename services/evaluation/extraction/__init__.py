"""How well the offline extractor reads, held against what people marked in whole novels and excerpts."""
