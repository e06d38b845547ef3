"""The machine that times come from: what it says of itself, and what would spoil times on it.

`host` reads a machine, `processor`, `memory`, `groups`, `system`, `software` and `checkout` say
what is there, and `facts` lists it all. `probes` measures, `doctor` judges.
"""
