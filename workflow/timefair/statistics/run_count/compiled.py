"""Plain functions, compiled: the same code runs in Python online and as machine code offline.

A module of kernels holds functions of numbers and arrays that call nothing outside their module
but numpy and math. Read as Python they need no compiler, so that a measuring process stays light;
`compiled` gives the same functions through numba, with the same results to the last bit, because
the order of the operations is the same.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType, ModuleType, SimpleNamespace


@cache
def compiled(module: ModuleType) -> SimpleNamespace:
    """The functions of a module of kernels, compiled when first called.

    The machine code is kept in the module's ``__pycache__`` (or numba's own folder where that is
    not writable) until the module's file changes.

    Parameters
    ----------
    module : module
        Its functions may call each other, numpy and math, nothing else.

    Returns
    -------
    SimpleNamespace
        The functions under their own names. They release the interpreter lock.

    Raises
    ------
    ImportError
        If numba is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from timefair.statistics.run_count import kernels
    >>> float(compiled(kernels).median(np.array([1.0, 2.0, 4.0]), 3))
    2.0
    """
    from numba import njit

    names = dict(vars(module))
    own = {
        name: value
        for name, value in names.items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }
    for name, function in own.items():
        twin = FunctionType(function.__code__, names, name, function.__defaults__)
        names[name] = njit(cache=True, nogil=True)(twin)
    return SimpleNamespace(**{name: names[name] for name in own})
