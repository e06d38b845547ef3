"""Published data of COCO and IOHprofiler as runs that count evaluations and have no times."""
