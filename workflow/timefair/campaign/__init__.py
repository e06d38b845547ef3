"""A campaign from its configuration file to its records: what is planned, run, checked, watched."""
