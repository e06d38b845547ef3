"""Measures runs of algorithms: `run` one run, `job` those of a job, `runner` many jobs."""
