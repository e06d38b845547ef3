"""Whether a new version of an algorithm is better, worse or equal within a margin.

- `changes`: estimates of the additional cost of the new version, from pairs of runs or single runs;
- `answers`: the answer that an estimate gives, alone and in a family;
- `looks`: the level at each of several looks;
- `foreseen`: the probability that a planned comparison finds a loss.
"""
