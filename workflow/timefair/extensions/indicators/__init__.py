"""Indicators of convergence: AOCC, attainment (EAF), U-scores, and ranks over time."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, exhibits=("tables",), findings="tables")
