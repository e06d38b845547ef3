"""A hill climber in C: `use: docs/guide/own/climber_in_c.py:solve`, after compiling `search.c`."""

import ctypes
from pathlib import Path

import numpy as np

LIBRARY = Path(__file__).with_name("search.so")


def solve(objective, rng):
    if not hasattr(objective, "c_function"):  # a trial launch, or rounded variables
        objective(objective.lower)
        return
    climb = ctypes.PyDLL(str(LIBRARY)).climb  # PyDLL: the caller holds the GIL
    vector = np.ctypeslib.ndpointer(np.float64)
    climb.argtypes = [
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, vector, vector, ctypes.c_uint64,
    ]  # fmt: skip
    function, handle = objective.c_function
    seed = int(rng.integers(2**63))
    climb(function, handle, objective.dimension, objective.lower, objective.upper, seed)
