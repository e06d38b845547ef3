"""How many runs are enough: stopping rules and their evaluation.

A rule can be applied after each run (`stopping.decide`) or to complete samples
(`stopping.stop_counts`); the number of runs n is the same:

- `stopping`: the interface of all rules; fixed and random numbers of runs;
- `skewness`: the rule of the run-count paper, with its outlier filters;
- `widths`: rules that stop when an interval of a quantile or of the mean is narrow enough;
- `racing`: many algorithms, of which those that cannot be the best are dropped;
- `evaluation`: the criterion of the paper in closed form, and its Tables 1 and 2 for any samples,
  with the controls.

`kernels` has the inner loops of the skewness rule, in Cython.
"""
