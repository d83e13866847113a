"""The story memory as tools for a language model, over the Model Context Protocol (the official `mcp` SDK)."""
