"""How many runs are enough: stopping rules and their evaluation.

A rule can be applied after each run (`stopping.decide`) or to complete samples
(`stopping.stopping`, `stopping.stop_counts`); the number of runs n is the same:

- `stopping`: the interface of all rules; fixed and random numbers of runs;
- `skewness`, `outliers`: the rule of the run-count paper;
- `widths`: rules that stop when an interval of a quantile or of the mean is narrow enough, with
  intervals from `ranks` (binomial and anytime-valid) and `betting`;
- `pairs`: two algorithms, and how runs are divided between them;
- `results`: final precisions as the rules that compare algorithms take them;
- `racing`: many algorithms; those that cannot be the best are dropped, by `mann_whitney`;
- `campaign_race`: all problems of a campaign together; which algorithm has the next runs on which
  function, by the mean A12 of `over_functions`.

Evaluation of numbers of runs, on complete samples:

- `verdicts`: the criterion of the paper, resampled or in closed form;
- `evaluation`, `savings`: Tables 1 and 2 of the paper for any samples, and the controls;
- `features`, `reliability`, `calibration`: the probability that an estimate is accurate;
- `classifier`: a model of this probability that is trained on some campaigns and stops others.

`kernels` (the skewness rule) and `resampling` (the verdicts) are the inner loops, in Cython.
"""
