"""Statistics of benchmark results. The functions take arrays and return arrays.

The modules need only numpy and scipy, and nothing else of timefair; `run_count` is about how many
runs are enough.
"""
