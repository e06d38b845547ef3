"""Effects of other restart policies."""
