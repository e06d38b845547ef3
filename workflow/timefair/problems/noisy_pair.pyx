# cython: language_level=3, boundscheck=False, wraparound=False
"""A noisy problem of COCO as a C function that writes two values: measured and noise-free."""

import numpy as np

cimport numpy as cnp
from libc.math cimport isfinite
from libc.stdint cimport uintptr_t

cnp.import_array()

ctypedef void (*evaluate_t)(void *problem, const double *x, double *y) noexcept


cdef struct Pair:
    evaluate_t evaluate
    void *problem
    const double *noise_free  # where COCO leaves the noise-free value of its last evaluation
    Py_ssize_t dimension


cdef void evaluate_pair(void *handle, const double *x, double *y) noexcept:
    cdef Pair *pair = <Pair *>handle
    cdef Py_ssize_t i
    pair.evaluate(pair.problem, x, y)
    y[1] = pair.noise_free[0]
    for i in range(pair.dimension):
        if not isfinite(x[i]):  # COCO returns early and leaves the value of an earlier point
            y[1] = y[0]
            return


cdef class NoisyPair:
    """Evaluates a noisy problem of COCO; the addresses have to be valid as long as this object.

    - `evaluate`: The address of ``coco_evaluate_function``.
    - `problem`: The address of the problem.
    - `noise_free`: The address of the noise-free value of its last evaluation.
    """

    cdef Pair pair

    def __init__(
        self, uintptr_t evaluate, uintptr_t problem, uintptr_t noise_free, Py_ssize_t dimension
    ):
        self.pair.evaluate = <evaluate_t>evaluate
        self.pair.problem = <void *>problem
        self.pair.noise_free = <const double *>noise_free
        self.pair.dimension = dimension

    @property
    def function(self):
        """The address of ``f(handle, const double *x, double *y)``, which writes two values."""
        return <uintptr_t>&evaluate_pair

    @property
    def handle(self):
        """The address of the function's first argument; valid as long as this object."""
        return <uintptr_t>&self.pair

    def __call__(self, x):
        """Measured and noise-free value at an array of shape ``(dimension,)``, shape ``(2,)``.

        If the point is not finite, both are the value that COCO gives: NaN or inf.
        """
        cdef cnp.ndarray point = np.ascontiguousarray(x, dtype=np.float64)
        if cnp.PyArray_NDIM(point) != 1 or cnp.PyArray_DIM(point, 0) != self.pair.dimension:
            raise ValueError(
                f"the problem takes an array of shape ({self.pair.dimension},), not {np.shape(x)}"
            )
        cdef cnp.ndarray values = np.empty(2)
        evaluate_pair(
            &self.pair, <const double *>cnp.PyArray_DATA(point), <double *>cnp.PyArray_DATA(values)
        )
        return values
