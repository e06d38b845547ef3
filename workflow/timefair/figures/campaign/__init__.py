"""How the runs of a campaign went."""
