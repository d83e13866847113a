"""`pons`: a character layer and a plot layer joined by weighted edges, and evidence chosen over both at once (PonsRAG)."""
