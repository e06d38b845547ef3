"""Power of a design before it is measured, and the design that is needed for a power.

A verdict of the package is a test after Bonferroni's correction. Each module computes the power
of one of these tests at the level ``alpha/tests``. The table `comparison` also adjusts the p-values
of a pair over its criteria; the power is that of a pair whose criteria agree.

- `design`: the numbers that define a design, its families of tests, and all that it can show;
- `rank_sum`: A12 by the Mann-Whitney test; `ert_ratio`: the ratio of two ERTs by the score test;
  `success`: the difference of two success rates;
- `over_functions`: the number of functions for Wilcoxon's, Friedman's and Nemenyi's tests;
- `components`: variance between runs, instances and functions in a pilot, and the best split of
  a number of runs;
- `search`: the smallest effect and the smallest number at which a power is reached.
"""
