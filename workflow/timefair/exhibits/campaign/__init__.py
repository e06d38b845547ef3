"""How the runs of a campaign went, and their ancillary cost."""
