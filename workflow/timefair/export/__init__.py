"""Runs in the data formats of other tools, so that those can read what was measured here."""
