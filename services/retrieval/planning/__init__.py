"""What a model may decide about a retrieval: how a question is taken apart, which evidence bears on it, what to ask next."""
