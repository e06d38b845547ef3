"""Measures runs of algorithms: `runs` one run, `job` those of a job, `runner` many jobs."""
