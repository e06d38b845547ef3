"""Statistics of benchmark results: arrays in, arrays out.

Only numpy and scipy are needed, nothing else of timefair, and each module has one idea:

- `traces`, `runtimes`, `targets`, `anytime`: from the events of runs to runtimes to absolute and
  relative targets, and to trajectories;
- `ert`, `heavy_tails`, `restarted`, `best_of`: expected running time and success rate, samples
  whose mean rests on rare large costs, the distribution of runtimes with restarts, the best of
  several runs;
- `quantiles`, `probability`: sample quantiles, the probability behind one, several executions;
- `means`, `disagreements`: the mean with its interval, and where it contradicts the median;
- `evaluation_cost`, `turning_costs`, `cost_map`: the ERT as a line in the cost of an evaluation,
  where two lines cross, and who is best at each cost and budget;
- `portfolios`: what each algorithm contributes to the best of all, and which ones should share a
  budget;
- `ecdf`, `profiles`: runtimes and costs over many problems at once, with bands from `strata`;
- `ranks`, `friedman`, `comparison`, `rank_sum`, `score_test`, `corrections`: which algorithm is
  better, and whether that is sure when many are compared;
- `power`: what a design can show before it is measured, and how many runs it takes;
- `bootstrap`, `checks`: resampling of whole runs, and what all check in their arguments;
- `run_count`: how many runs are enough.
"""
