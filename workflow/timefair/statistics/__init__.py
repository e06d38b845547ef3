"""Statistics of benchmark results: arrays in, arrays out.

Only numpy and scipy are needed, nothing else of timefair, and each module has one idea:

- `traces`, `runtimes`, `anytime`: from the events of runs to runtimes and trajectories;
- `quantiles`, `probability`: sample quantiles, the probability behind one, several executions;
- `means`, `disagreements`: the mean with its interval, and where it contradicts the median;
- `ert`: expected running time and success rate, with intervals from `bootstrap`;
- `ecdf`, `profiles`: runtimes and costs over many problems at once, with bands from `strata`.
"""
