"""Exhibits: a question each, with the table that answers it and its figures."""

INDEX = "index.json"
"""The generated file of all names; see `timefair.exhibits.indexing`."""
