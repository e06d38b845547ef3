"""Measures runs of algorithms: `runs` one run, `job` those of a job, `runner` many jobs.

`evaluation` has the objective, `trial` what is done before any clock starts, `isolation` what runs
share, `perturbation` which runs others slowed down, `audit` how one algorithm behaves.
"""
