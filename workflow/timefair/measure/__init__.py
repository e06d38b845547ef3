"""Measures runs of algorithms.

`job` measures the runs of a job, one after the other. `runs` measures one run: the parent forks its
process, waits for its end and judges it. `apart` has the processes of algorithms that do not share
one with the problem. `preparation` loads an algorithm and tries it out. `evaluation` is the
objective, with the memory in which it counts. `launch` is what every launch needs, in whichever
process it is made. `isolation` keeps runs from each other and from what measures them.
`disturbance` finds out how others slowed a run. `audit` examines one algorithm.
"""
