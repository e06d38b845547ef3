"""Measures runs of algorithms.

`job` measures the runs of a job, one after the other. `runs` measures one run: the parent forks a
process, waits for its end and judges the run. `trial` loads an algorithm and makes a trial launch.
`evaluation` contains the objective and the shared memory in which it counts. `launching` contains
what every launch needs, in any process. `isolation` keeps runs from each other and from the
measurement. `perturbation` detects runs that other processes slowed down. `audit` examines one
algorithm.
"""
