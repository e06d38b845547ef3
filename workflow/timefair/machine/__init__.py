"""Facts about the machine that measures, and checks for anything that would perturb times.

`host` reads files of the machine. `processor`, `memory`, `cgroups`, `system`, `software` and
`checkout` read facts, `facts` lists all of them. `probes` measures, and `doctor` judges.
"""
