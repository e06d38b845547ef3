"""Reads and writes data of others: of COCO and IOHprofiler, and tables of runs with times."""
