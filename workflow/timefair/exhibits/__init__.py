"""Exhibits: a question each, with the table that answers it and its figures."""

INDEX = "index.json"
"""The generated file of all names; see `timefair.exhibits.indexing`."""

ROOMS = (
    "comparisons",
    "probabilities",
    "runtimes",
    "costs",
    "restarts",
    "portfolios",
    "quality",
    "curves",
    "run_count",
    "campaign",
)
"""The rooms of exhibits, in the order in which a reader may ask."""
