"""Writes runs in the data formats of COCO and IOHprofiler, and small tables as text."""
