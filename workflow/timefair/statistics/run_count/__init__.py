"""How many runs are enough: stopping rules and their evaluation. A rule can be applied after each
run (`stopping.decide`) or to complete samples (`stopping.stop_counts`); the number of runs n is the
same.
"""
