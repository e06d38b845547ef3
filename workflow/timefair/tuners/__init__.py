"""Tuning without the measurement: its keys, the ranges of parameters, and the search methods.

`section` declares the keys of `algorithms.<label>.tune`, and `space` the ranges. `choice` finds the
tuner that a campaign names. `outcome` contains the trace of a search and its result. The package
`timefair.tuning` measures.
"""
