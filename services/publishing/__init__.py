"""Publishing: what somebody wants published is checked, numbered, kept, and handed to whoever takes it in."""
