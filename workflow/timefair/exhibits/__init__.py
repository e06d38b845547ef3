"""Exhibits: each is a question, with the table that answers it and its figures."""

INDEX = "index.json"  # the generated file of all names; see `timefair.exhibits.indexing`

ROOMS = ("comparisons", "runtimes", "costs", "quality", "curves", "run_count", "campaign")
"""The modules and folders of exhibits, in the order in which a reader may ask their questions."""
