"""A campaign from its configuration file to its records: plan, jobs, checks and progress."""
