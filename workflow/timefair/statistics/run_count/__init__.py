"""How many runs are enough: stopping rules, online and offline, and their evaluation.

A rule is asked after each run (`stopping.decide`) or on complete samples (`stopping.stopping`,
`stopping.stop_counts`), with the same n:

- `stopping`: the interface of all rules; fixed and random numbers of runs;
- `skewness`, `outliers`: the run-count paper's rule;
- `widths`: intervals of a quantile or the mean that are narrow enough, from `ranks` (binomial and
  anytime-valid) and `betting`;
- `pairs`: two algorithms and the split of runs between them;
- `racing`: many algorithms, of which those that cannot be best are dropped, by `mann_whitney`.

Evaluation of numbers of runs, on complete samples:

- `verdicts`: the paper's criterion, resampled or in closed form;
- `evaluation`, `savings`: its Tables 1 and 2 for any samples, and the controls;
- `features`, `reliability`, `calibration`: the probability that one estimate is right.

`kernels` (the skewness rule) and `resampling` (the verdicts) are the inner loops, in Cython.
"""
