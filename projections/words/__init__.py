"""The words of a story as rows: passages of its chapters and texts of its records. Read models are made of them."""
