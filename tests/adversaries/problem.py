"""A user's own problem that misbehaves, in another way for each function."""

import ctypes
import faulthandler
import os

import numpy as np


def value(x, function):
    if function == 1:
        return float(np.sum(x**2))
    if function == 2:
        return float("nan")
    if function == 3:
        raise ArithmeticError("no value")
    if function == 4:
        os._exit(3)
    if function == 5:
        faulthandler.disable()
        ctypes.string_at(0)
    if function == 6:
        return "no number"
    if function == 7:
        x[:] = np.nan  # it gets a copy
        return 1.0
    raise LookupError(function)


value.lower, value.upper = -5, 5
