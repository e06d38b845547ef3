# mine.py
def solve(objective, rng, step=0.3, patience=500):
    """A (1+1) evolution strategy that gives up after `patience` steps without success."""
    x = rng.uniform(objective.lower, objective.upper)
    fx, failures = objective(x), 0
    while failures < patience:
        y = x + step * rng.standard_normal(objective.dimension)
        fy = objective(y)
        if fy < fx:
            x, fx, failures, step = y, fy, 0, step * 1.5
        else:
            failures, step = failures + 1, step * 0.9
