"""How probable it is that an algorithm is better, and better by a factor that matters.

- `bootstrap`: the expected running time (ERT) of an algorithm on a function, from its own runs;
- `field`: what all algorithms on all functions say about each of them;
- `verdicts`: better, practically equal or worse;
- `signed_rank`: two algorithms over functions; `plackett_luce`: all algorithms over functions.
"""
