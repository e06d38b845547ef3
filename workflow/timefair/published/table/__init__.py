"""Reads tables of runs with times: one row per improvement, or per line of a trace."""

from timefair.published.table import benchopt
from timefair.published.table.columns import Layout
from timefair.published.table.data_sets import data_sets

__all__ = ["Layout", "benchopt", "data_sets"]
