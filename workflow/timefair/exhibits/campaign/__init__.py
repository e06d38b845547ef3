"""How the runs of a campaign went, and what they cost besides."""
