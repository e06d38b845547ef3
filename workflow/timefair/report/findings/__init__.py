"""Findings from the tables, in sentences that claim no more than the statistics allow."""
