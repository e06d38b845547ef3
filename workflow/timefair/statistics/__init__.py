"""Statistics of benchmark results. The functions take arrays and return arrays.

The modules need only numpy and scipy, and nothing else of timefair:

- `runtimes`, `curves`: events of runs, runtimes to absolute and relative targets, trajectories,
  ECDFs and profiles;
- `ert`, `restarted`: expected running time and success rate, the runtime with restarts;
- `quantiles`, `probability`: sample quantiles, their probability, the best of several executions;
- `means`: the mean with its interval, and where it contradicts the median;
- `evaluation_cost`: the ERT as a line in the cost of an evaluation, and which algorithm is best at
  each cost and budget;
- `comparison`, `rank_sum`, `ranks`, `corrections`: which algorithm is better, and whether this is
  significant when many algorithms are compared;
- `recommendations`, `changes`: what a noisy run has truly found, and how a changing problem is
  followed;
- `bootstrap`, `checks`: resampling of whole runs, and checks of arguments;
- `run_count`: how many runs are enough.

The other folders belong to features of their names.
"""
