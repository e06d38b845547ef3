"""Facts about the machine that measures, and checks for anything that would perturb times.

`host` reads files of the machine. `system` and `software` read facts, `facts` lists all of
them. `doctor` measures and judges.
"""
