"""Imports published data of COCO and IOHprofiler: runs with evaluations and without times."""
