"""Statistics of benchmark results: arrays in, arrays out.

Only numpy and scipy are needed, nothing else of timefair, and each module has one idea:

- `traces`, `runtimes`, `anytime`: from the events of runs to runtimes and trajectories;
- `quantiles`: sample quantiles;
- `ert`: expected running time and success rate, with intervals from `bootstrap`;
- `ecdf`, `profiles`: runtimes and costs over many problems at once.
"""
