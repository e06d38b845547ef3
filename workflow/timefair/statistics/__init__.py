"""Statistics of benchmark results. The functions take arrays and return arrays.

The modules need only numpy and scipy, and nothing else of timefair:

- `traces`, `runtimes`, `targets`, `anytime`: events of runs, runtimes to absolute and relative
  targets, and trajectories;
- `ert`, `heavy_tails`, `restarted`, `best_of`: expected running time and success rate, samples
  whose mean depends on rare large costs, the distribution of runtimes with restarts, the best of
  several runs;
- `quantiles`, `probability`: sample quantiles, their probability, several executions;
- `means`, `disagreements`: the mean with its interval, and where it contradicts the median;
- `evaluation_cost`, `turning_costs`, `cost_map`: the ERT as a line in the cost of an evaluation,
  where two lines cross, and which algorithm is best at each cost and budget;
- `launch_law`, `restart_policies`, `restart_choice`: what other restart policies would have cost;
- `portfolios`: what each algorithm contributes to the best of all, and which algorithms should
  share a budget;
- `ecdf`, `profiles`: runtimes and costs over many problems, with bands from `strata`;
- `ranks`, `friedman`, `comparison`, `rank_sum`, `score_test`, `corrections`: which algorithm is
  better, and whether this is significant when many algorithms are compared;
- `changes`: errors and recovery on problems that change;
- `posterior`: how probable it is that an algorithm is better, and by a factor that matters;
- `power`: which differences a design can show before it is measured, and how many runs this takes;
- `bootstrap`, `checks`: resampling of whole runs, and checks of arguments;
- `run_count`: how many runs are enough.
"""
