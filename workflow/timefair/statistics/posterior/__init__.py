"""How probable it is that an algorithm is better, and better by a factor that matters.

- `bootstrap`: the expected running time (ERT) of an algorithm on a function, from its own runs;
- `field`: the costs on all functions combined in a hierarchical model;
- `verdicts`: better, practically equal or worse;
- `signed_rank`: two algorithms over functions; `plackett_luce`: all algorithms over functions.
"""
