# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True
"""The landscape of the generalized moving peaks benchmark at one point, compiled."""

import numpy as np

from libc.math cimport INFINITY, exp, log, sin, sqrt
from libc.stdint cimport int64_t, uintptr_t


cdef struct Peaks:
    Py_ssize_t dimension, peaks
    int64_t environment  # number of the one that is evaluated
    const double *heights  # (environments, peaks)
    const double *centres  # (environments, peaks, dimension)
    const double *widths  # (environments, peaks, dimension)
    const double *rotations  # (environments, peaks, dimension, dimension)
    const double *taus  # (environments, peaks)
    const double *etas  # (environments, peaks, 4)


cdef inline double transformed(double y, double tau, const double *etas) noexcept nogil:
    """The irregularity of one rotated coordinate; 0 and NaN are returned as they are."""
    cdef double size
    if y > 0.0:
        size = log(y)
        return exp(size + tau * (sin(etas[0] * size) + sin(etas[1] * size)))
    if y < 0.0:
        size = log(-y)
        return -exp(size + tau * (sin(etas[2] * size) + sin(etas[3] * size)))
    return y


cdef void evaluate(void *handle, const double *x, double *y) noexcept nogil:
    """Write the negated height at `x`, and the number of the environment, which is read once."""
    cdef Peaks *parts = <Peaks *>handle
    cdef Py_ssize_t n = parts.dimension, peak, i, j
    cdef int64_t environment = parts.environment
    cdef Py_ssize_t first = environment * parts.peaks
    cdef const double *centre
    cdef const double *width
    cdef const double *row
    cdef double highest = -INFINITY, squares, rotated, height
    for peak in range(first, first + parts.peaks):
        centre = parts.centres + peak * n
        width = parts.widths + peak * n
        squares = 0.0
        for i in range(n):
            row = parts.rotations + (peak * n + i) * n
            rotated = 0.0
            for j in range(n):
                rotated += row[j] * (x[j] - centre[j])
            rotated = width[i] * transformed(rotated, parts.taus[peak], parts.etas + 4 * peak)
            squares += rotated * rotated
        height = parts.heights[peak] - sqrt(squares)
        if height > highest:
            highest = height
    y[0], y[1] = -highest, <double>environment


cdef class Evaluation:
    """The landscapes of all environments, one of which is evaluated at a time.

    - `heights`, `taus`: Shape ``(environments, peaks)``.
    - `centres`, `widths`: Shape ``(environments, peaks, dimension)``.
    - `rotations`: Shape ``(environments, peaks, dimension, dimension)``.
    - `etas`: Shape ``(environments, peaks, 4)``.

    Notes
    -----
    An evaluation gives an array of two numbers. The first one is the negated height, because
    problems are minimized; a NaN or an infinite number in the point gives inf. The second one is
    the number of the environment.
    """

    cdef Peaks parts
    cdef Py_ssize_t environments
    cdef tuple keep

    def __init__(self, *, heights, centres, widths, rotations, taus, etas):
        environments, peaks, dimension = np.shape(centres)
        cdef const double[::1] flat_heights = _flat(heights, (environments, peaks))
        cdef const double[::1] flat_centres = _flat(centres, (environments, peaks, dimension))
        cdef const double[::1] flat_widths = _flat(widths, (environments, peaks, dimension))
        cdef const double[::1] flat_rotations = _flat(
            rotations, (environments, peaks, dimension, dimension)
        )
        cdef const double[::1] flat_taus = _flat(taus, (environments, peaks))
        cdef const double[::1] flat_etas = _flat(etas, (environments, peaks, 4))
        self.keep = (
            flat_heights, flat_centres, flat_widths, flat_rotations, flat_taus, flat_etas
        )
        self.environments = environments
        self.parts = Peaks(
            dimension=dimension, peaks=peaks, environment=0,
            heights=&flat_heights[0], centres=&flat_centres[0], widths=&flat_widths[0],
            rotations=&flat_rotations[0], taus=&flat_taus[0], etas=&flat_etas[0],
        )

    @property
    def c_function(self):
        """``(function, handle)``: addresses, for `timefair.problems.base.Native`."""
        return <uintptr_t>&evaluate, <uintptr_t>&self.parts

    @property
    def environment(self):
        """The number of the environment that is evaluated, from 0."""
        return self.parts.environment

    @environment.setter
    def environment(self, Py_ssize_t number):
        if not 0 <= number < self.environments:
            raise ValueError(f"environment: {number} is not between 0 and {self.environments - 1}")
        self.parts.environment = number

    @property
    def environment_address(self):
        """The address of that number, an ``int64_t``, for `timefair.problems.base.Changes`."""
        return <uintptr_t>&self.parts.environment

    def __call__(self, x, /):
        numbers = np.empty(2)
        array = np.ascontiguousarray(x, dtype=np.float64)
        if array.shape != (self.parts.dimension,):
            raise ValueError(
                f"the problem takes an array of shape ({self.parts.dimension},), not {np.shape(x)}"
            )
        cdef const double[::1] point = array
        cdef double[::1] written = numbers
        evaluate(&self.parts, &point[0], &written[0])
        return numbers


def _flat(values, shape):
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.shape != shape or not array.size:
        raise ValueError(f"an array of shape {shape} with values is needed, not {array.shape}")
    return array.reshape(-1)
