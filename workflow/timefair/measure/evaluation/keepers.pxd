"""The part of `keepers` that the objective calls at every evaluation."""


cdef class Keeper:
    cdef Py_ssize_t numbers
    cdef double value

    cdef bint keep(self, const double *vector) noexcept
    cdef bint is_finite(self, const double *vector) noexcept


cdef class Feasible(Keeper):
    cdef double best  # the least f of a feasible point so far
    cdef double violation, indicator, f_opt
