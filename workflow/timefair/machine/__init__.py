"""Facts about the machine that measures, and checks for anything that would perturb times."""
