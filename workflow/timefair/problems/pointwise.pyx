# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, infer_types=True
"""Functions of suites at one point, compiled: an evaluation needs no interpreter."""

import numpy as np

from libc.math cimport (
    INFINITY, M_E, M_PI, ceil, cos, exp, expm1, fabs, floor, fmod, isfinite, log, pow, sin, sqrt,
)
from libc.stdint cimport int64_t, uintptr_t

ctypedef void (*evaluate_t)(void *handle, const double *x, double *y) noexcept
ctypedef const double *floats


cdef class Evaluation:
    """A function of an array of shape ``(dimension,)`` with its data, which gives `numbers` values.

    Two threads must not use it at once, as it has one work space.
    """

    cdef evaluate_t evaluate
    cdef void *handle
    cdef Py_ssize_t dimension, numbers
    cdef list keep

    cdef begin(self, evaluate_t evaluate, void *handle, Py_ssize_t dimension, Py_ssize_t numbers):
        self.evaluate, self.handle = evaluate, handle
        self.dimension, self.numbers, self.keep = dimension, numbers, []

    cdef double *kept(self, values) except NULL:
        """The address of a copy of some numbers, as long as this object exists."""
        cdef double[::1] array = np.array(values, dtype=np.float64).ravel()
        self.keep.append(array)
        return &array[0]

    cdef const Py_ssize_t *places(self, order) except NULL:
        cdef const Py_ssize_t[::1] array = np.array(order, dtype=np.intp)
        self.keep.append(array)
        return &array[0]

    @property
    def c_function(self):
        """``(function, handle)``: addresses, for `timefair.problems.kinds.Native`."""
        return <uintptr_t>self.evaluate, <uintptr_t>self.handle

    def __call__(self, x, /):
        """A float or, of several numbers, an array of shape ``(numbers,)``."""
        array = np.ascontiguousarray(x, dtype=np.float64)
        if array.shape != (self.dimension,):
            raise ValueError(
                f"the problem takes an array of shape ({self.dimension},), not {np.shape(x)}"
            )
        found = np.empty(self.numbers)
        cdef const double[::1] point = array
        cdef double[::1] written = found
        self.evaluate(self.handle, &point[0], &written[0])
        return written[0] if self.numbers == 1 else found


# --- CEC2014 to CEC2022 ---------------------------------------------------------------------------

ctypedef double (*basic_t)(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil
"""A basic function of z, which has `n` numbers; Schaffer's F7 and Lunacek's also read y."""


cdef double weighted_squares(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    total = 0.0
    for i in range(n):
        total += constants[i] * z[i] * z[i]
    return total


cdef double different_powers(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    total = 0.0
    for i in range(n):
        total += pow(fabs(z[i]), i + 1)
    return total


cdef double zakharov(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    squares = weighted = 0.0
    for i in range(n):
        squares += z[i] * z[i]
        weighted += 0.5 * (i + 1) * z[i]
    return squares + pow(weighted, 2) + pow(weighted, 4)


cdef inline double rosenbrock_term(double z, double following) noexcept nogil:
    valley, slope = z * z - following, z - 1.0
    return 100.0 * valley * valley + slope * slope


cdef double rosenbrock(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    total = 0.0
    for i in range(n - 1):
        total += rosenbrock_term(z[i] + 1.0, z[i + 1] + 1.0)
    return total


cdef double rastrigin(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    total = 0.0
    for i in range(n):
        total += z[i] * z[i] - 10.0 * cos(2.0 * M_PI * z[i]) + 10.0
    return total


cdef double schaffer_f7(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    """Of y: the vector before the rotation or, in a hybrid, its first n variables."""
    total = 0.0
    for i in range(n - 1):
        radius = sqrt(y[i] * y[i] + y[i + 1] * y[i + 1])
        wave = sin(50.0 * pow(radius, 0.2))
        total += sqrt(radius) + sqrt(radius) * wave * wave
    return total * total / (n - 1) / (n - 1)


cdef double lunacek(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    """Lunacek's bi-Rastrigin function: two bowls of y, and waves of z."""
    s, mu0 = 1.0 - 1.0 / (2.0 * sqrt(n + 20.0) - 8.2), 2.5
    mu1 = -sqrt((mu0 * mu0 - 1.0) / s)
    near = far = waves = 0.0
    for i in range(n):
        value = y[i] + mu0
        near += (value - mu0) * (value - mu0)
        far += (value - mu1) * (value - mu1)
        waves += cos(2.0 * M_PI * z[i])
    far = far * s + n
    return (near if near < far else far) + 10.0 * (n - waves)


cdef double levy(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    """The constants are the optimum."""
    w = 1.0 + (z[0] - constants[0]) / 4.0
    total = pow(sin(M_PI * w), 2)
    for i in range(n - 1):
        w = 1.0 + (z[i] - constants[i]) / 4.0
        total += pow(w - 1.0, 2) * (1.0 + 10.0 * pow(sin(M_PI * w + 1.0), 2))
    w = 1.0 + (z[n - 1] - constants[n - 1]) / 4.0
    return total + pow(w - 1.0, 2) * (1.0 + pow(sin(2.0 * M_PI * w), 2))


cdef double schwefel(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    """Schwefel's function, reflected with a penalty outside -500 to 500."""
    total = 0.0
    for i in range(n):
        value = z[i] + 420.9687462275036
        if fabs(value) <= 500.0:
            total -= value * sin(sqrt(fabs(value)))
            continue
        inner = 500.0 - fmod(fabs(value), 500.0)
        excess = (fabs(value) - 500.0) / 100.0
        total -= (inner if value > 0.0 else -inner) * sin(sqrt(inner))
        total += excess * excess / n
    return total + 418.9828872724338 * n


cdef inline double waves(floats z, Py_ssize_t n, double *squares) noexcept nogil:
    """The sum of the cosines of 2 pi z; that of the squares is written."""
    cosines = squares[0] = 0.0
    for i in range(n):
        squares[0] += z[i] * z[i]
        cosines += cos(2.0 * M_PI * z[i])
    return cosines


cdef double ackley(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    cdef double squares, cosines = waves(z, n, &squares)
    return M_E - 20.0 * exp(-0.2 * sqrt(squares / n)) - exp(cosines / n) + 20.0


cdef double weierstrass(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    total = least = 0.0
    for i in range(n):
        one = least = 0.0
        amplitude = frequency = 1.0
        for k in range(21):
            one += amplitude * cos(2.0 * M_PI * frequency * (z[i] + 0.5))
            least += amplitude * cos(2.0 * M_PI * frequency * 0.5)
            amplitude *= 0.5
            frequency *= 3.0
        total += one
    return total - n * least


cdef double griewank(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    squares, cosines = 0.0, 1.0
    for i in range(n):
        squares += z[i] * z[i]
        cosines *= cos(z[i] / sqrt(1.0 + i))
    return 1.0 + squares / 4000.0 - cosines


cdef double katsuura(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    product = 1.0
    for i in range(n):
        inner, power = 0.0, 1.0
        for k in range(32):
            power *= 2.0
            scaled = power * z[i]
            inner += fabs(scaled - floor(scaled + 0.5)) / power
        product *= pow(1.0 + (i + 1) * inner, 10.0 / pow(1.0 * n, 1.2))
    return product * (10.0 / n / n) - 10.0 / n / n


cdef inline double from_one(floats z, Py_ssize_t n, double *squares) noexcept nogil:
    """The sum of z - 1; that of the squares is written."""
    total = squares[0] = 0.0
    for i in range(n):
        squares[0] += (z[i] - 1.0) * (z[i] - 1.0)
        total += z[i] - 1.0
    return total


cdef double happycat(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    cdef double squares, total = from_one(z, n, &squares)
    return pow(fabs(squares - n), 0.25) + (0.5 * squares + total) / n + 0.5


cdef double hgbat(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    cdef double squares, total = from_one(z, n, &squares)
    return sqrt(fabs(squares * squares - total * total)) + (0.5 * squares + total) / n + 0.5


cdef inline double griewank_of_one(double value) noexcept nogil:
    return value * value / 4000.0 - cos(value) + 1.0


cdef double griewank_rosenbrock(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    total = 0.0
    for i in range(n - 1):
        total += griewank_of_one(rosenbrock_term(z[i] + 1.0, z[i + 1] + 1.0))
    return total + griewank_of_one(rosenbrock_term(z[n - 1] + 1.0, z[0] + 1.0))


cdef inline double schaffer_f6_of_two(double a, double b) noexcept nogil:
    squares = a * a + b * b
    wave, damping = sin(sqrt(squares)), 1.0 + 0.001 * squares
    return 0.5 + (wave * wave - 0.5) / (damping * damping)


cdef double schaffer_f6(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    total = 0.0
    for i in range(n - 1):
        total += schaffer_f6_of_two(z[i], z[i + 1])
    return total + schaffer_f6_of_two(z[n - 1], z[0])


cdef class Basic:
    """A basic function, with the factor that maps -100 to 100 to its own bounds.

    - `weights`: ``weights(n)`` gives its n constants, if it has any.
    """

    cdef basic_t function
    cdef double rate
    cdef object weights


cdef Basic basic(basic_t function, double rate=1.0, weights=np.ones):
    cdef Basic made = Basic()
    made.function, made.rate, made.weights = function, rate, weights
    return made


ACKLEY = basic(ackley)
BENT_CIGAR = basic(weighted_squares, 1.0, lambda n: [1.0] + [1e6] * (n - 1))
DIFFERENT_POWERS = basic(different_powers)
DISCUS = basic(weighted_squares, 1.0, lambda n: [1e6] + [1.0] * (n - 1))
ELLIPTIC = basic(
    weighted_squares, 1.0, lambda n: [pow(10.0, 6.0 * i / max(n - 1, 1)) for i in range(n)]
)
GRIEWANK = basic(griewank, 600.0 / 100.0)
GRIEWANK_ROSENBROCK = basic(griewank_rosenbrock, 5.0 / 100.0)
HAPPYCAT = basic(happycat, 5.0 / 100.0)
HGBAT = basic(hgbat, 5.0 / 100.0)
KATSUURA = basic(katsuura, 5.0 / 100.0)
LEVY = basic(levy, 1.0, np.zeros)
LEVY_2017 = basic(levy, 1.0, np.ones)
LUNACEK = basic(lunacek, 2.0 * (10.0 / 100.0))
RASTRIGIN = basic(rastrigin, 5.12 / 100.0)
ROSENBROCK = basic(rosenbrock, 2.048 / 100.0)
SCHAFFER_F6 = basic(schaffer_f6)
SCHAFFER_F7 = basic(schaffer_f7)
SCHWEFEL = basic(schwefel, 1000.0 / 100.0)
WEIERSTRASS = basic(weierstrass, 0.5 / 100.0)
ZAKHAROV = basic(zakharov)


cdef enum:
    MOST = 6  # of groups in a component, and of components


cdef struct Group:
    basic_t basic
    Py_ssize_t start, size
    double rate
    const double *constants  # weights of squares


cdef struct Component:
    const double *shift
    const double *scale  # factor of each variable before the rotation
    const double *columns  # of the rotation; NULL: none
    const Py_ssize_t *order  # of the variables in the groups; NULL: as they are
    const double *sign  # of each variable of the shift
    Group[MOST] groups
    Py_ssize_t count
    double factor, divisor, spread, bias


cdef struct Parts:
    Py_ssize_t dimension, count
    double bias
    Component[MOST] components
    double *y
    double *z
    double *grouped
    double *scaled


cdef double component(Parts *parts, Component *one, const double *x) noexcept nogil:
    n, total = parts.dimension, 0.0
    y, z, scaled = parts.y, parts.z, parts.scaled
    for i in range(n):
        y[i] = (x[i] - one.shift[i]) * one.scale[i]
    if one.columns == NULL:
        z = y
    else:
        for i in range(n):
            z[i] = 0.0
        for j in range(n):  # column by column: the same sums, but several at a time
            column = one.columns + j * n
            value = y[j]
            for i in range(n):
                z[i] += value * column[i]
    if one.order == NULL:
        group = &one.groups[0]
        return group.basic(z, y, n, group.constants)
    for i in range(n):
        parts.grouped[i] = z[one.order[i]]
    for j in range(one.count):
        group = &one.groups[j]
        for i in range(group.size):
            scaled[i] = parts.grouped[group.start + i] * group.rate
        y = parts.grouped
        if group.basic == &lunacek:
            for i in range(group.size):
                scaled[i] *= one.sign[i]
            y = scaled
        total += group.basic(scaled, y, group.size, group.constants)
    return total


cdef void evaluate_sum(void *handle, const double *x, double *result) noexcept nogil:
    cdef double[MOST] values, weights
    parts = <Parts *>handle
    n = parts.dimension
    most = weighed = total = 0.0
    if parts.count == 1:
        result[0] = component(parts, &parts.components[0], x) + parts.bias
        return
    for k in range(parts.count):
        one = &parts.components[k]
        values[k] = one.factor * component(parts, one, x) / one.divisor + one.bias
        distance = 0.0
        for i in range(n):
            distance += (x[i] - one.shift[i]) * (x[i] - one.shift[i])
        weights[k] = 1e99
        if distance != 0.0:
            weights[k] = sqrt(1.0 / distance) * exp(-distance / 2.0 / n / (one.spread * one.spread))
        if weights[k] > most:
            most = weights[k]
        weighed += weights[k]
    for k in range(parts.count):
        if most == 0.0:
            total += values[k] / parts.count
        else:
            total += weights[k] / weighed * values[k]
    result[0] = total + parts.bias


cdef class Composed(Evaluation):
    """A sum of components, weighted by their distances (one component: no weights), and the `bias`.

    A component ``(groups, shift, rotation or None, order or None, factor, divisor, spread, bias)``,
    one of at most 6, shifts, scales and rotates x, and adds basic functions of at most 6 groups
    ``(Basic, number of variables)``. The order counts from 0.
    """

    cdef Parts parts

    def __init__(self, components, double bias):
        cdef Py_ssize_t dimension = len(components[0][1])
        self.begin(evaluate_sum, &self.parts, dimension, 1)
        self.parts.dimension, self.parts.count = dimension, len(components)
        self.parts.bias = bias
        work = np.empty(dimension)
        self.parts.y, self.parts.z = self.kept(work), self.kept(work)
        self.parts.grouped, self.parts.scaled = self.kept(work), self.kept(work)
        for k in range(len(components)):
            self.set_component(&self.parts.components[k], components[k])

    cdef set_component(self, Component *one, tuple described):
        groups, shift, rotation, order, factor, divisor, spread, bias = described
        cdef Basic basic = groups[0][0]
        cdef Py_ssize_t start = 0, size
        sign = np.where(np.asarray(shift) < 0, -1.0, 1.0)
        scale = np.full(len(shift), basic.rate if order is None else 1.0)
        if basic.function == &lunacek and order is None:
            scale *= sign
        one.shift, one.sign, one.scale = self.kept(shift), self.kept(sign), self.kept(scale)
        one.columns, one.order = NULL, NULL
        if rotation is not None:
            one.columns = self.kept(np.asarray(rotation).T)
        if order is not None:
            one.order = self.places(order)
        one.count, one.factor, one.divisor = len(groups), factor, divisor
        one.spread, one.bias = spread, bias
        for k, (basic, size) in enumerate(groups):
            one.groups[k].basic, one.groups[k].rate = basic.function, basic.rate
            one.groups[k].start, one.groups[k].size = start, size
            one.groups[k].constants = self.kept(basic.weights(size))
            start += size


# --- CEC2010 --------------------------------------------------------------------------------------

cdef double large_rastrigin(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    total = 0.0
    for i in range(n):
        total += z[i] * z[i] + 10.0 * (1.0 - cos(2.0 * M_PI * z[i]))
    return total


cdef double large_ackley(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    """20 - 20 exp(a) + e - exp(b), by expm1, because the terms cancel near the optimum."""
    cdef double squares, cosines = waves(z, n, &squares)
    return -20.0 * expm1(-0.2 * sqrt(squares / n)) - M_E * expm1(cosines / n - 1.0)


cdef double large_schwefel(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    """Schwefel's problem 1.2: the sum of the squares of the partial sums."""
    total = partial = 0.0
    for i in range(n):
        partial += z[i]
        total += partial * partial
    return total


cdef double large_rosenbrock(floats z, floats y, Py_ssize_t n, floats constants) noexcept nogil:
    """Rosenbrock's function of z + 1, whose optimum is at 1 in each variable."""
    total = 0.0
    for i in range(n - 1):
        valley = (z[i] + 1.0) * (z[i] + 1.0) - (z[i + 1] + 1.0)
        total += 100.0 * valley * valley + z[i] * z[i]
    return total


LARGE_ELLIPTIC = basic(weighted_squares, 1.0, lambda n: 1e6 ** (np.arange(n) / max(n - 1, 1)))
LARGE = (
    basic(weighted_squares), LARGE_ELLIPTIC, basic(large_rastrigin), basic(large_ackley),
    basic(large_schwefel), basic(large_rosenbrock),
)


cdef struct Grouped:
    Py_ssize_t dimension, groups, group_size
    double factor
    basic_t grouped, rest
    const Py_ssize_t *order  # of the variables: group after group, then those of no group
    const double *optimum  # in this order
    const double *rotation  # group_size x group_size by rows; NULL: the groups are not rotated
    const double *group_weights
    const double *rest_weights
    double *z
    double *rotated


cdef void evaluate_grouped(void *handle, const double *x, double *y) noexcept nogil:
    cdef const double *z
    parts = <Grouped *>handle
    m, total = parts.group_size, 0.0
    left = parts.groups * m
    for i in range(parts.dimension):
        parts.z[i] = x[parts.order[i]] - parts.optimum[i]
    for k in range(parts.groups):
        z = parts.z + k * m
        if parts.rotation != NULL:  # the row vector times the rotation
            for j in range(m):
                parts.rotated[j] = 0.0
            for i in range(m):
                for j in range(m):
                    parts.rotated[j] += z[i] * parts.rotation[i * m + j]
            z = parts.rotated
        total += parts.grouped(z, z, m, parts.group_weights)
    total *= parts.factor
    if left < parts.dimension:
        z = parts.z + left
        total += parts.rest(z, z, parts.dimension - left, parts.rest_weights)
    y[0] = total


cdef class InGroups(Evaluation):
    """``factor * sum(grouped(z of a group)) + rest(z of no group)``, where z is x minus the optimum,
    with the variables in `order`, those of the groups first. Basic functions, numbers in `LARGE`,
    are 0 only at z = 0. Every group is rotated by the orthogonal `rotation`.
    """

    cdef Grouped parts

    def __init__(
        self, grouped, rest, *, Py_ssize_t groups, Py_ssize_t group_size, double factor, optimum,
        order, rotation=None,
    ):
        cdef Basic within = LARGE[grouped], beside = LARGE[rest]
        n, m = len(optimum), group_size
        self.begin(evaluate_grouped, &self.parts, n, 1)
        self.parts = Grouped(
            dimension=n, groups=groups, group_size=m, factor=factor,
            grouped=within.function, rest=beside.function,
            order=self.places(order), optimum=self.kept(np.asarray(optimum)[order]), rotation=NULL,
            group_weights=self.kept(within.weights(m)),
            rest_weights=self.kept(beside.weights(n - groups * m)),
            z=self.kept(np.empty(n)), rotated=self.kept(np.empty(m)),
        )
        if rotation is not None:
            self.parts.rotation = self.kept(rotation)


# --- Moving peaks ---------------------------------------------------------------------------------

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
    if y > 0.0:
        size = log(y)
        return exp(size + tau * (sin(etas[0] * size) + sin(etas[1] * size)))
    if y < 0.0:
        size = log(-y)
        return -exp(size + tau * (sin(etas[2] * size) + sin(etas[3] * size)))
    return y


cdef void evaluate_peaks(void *handle, const double *x, double *y) noexcept nogil:
    """Write the negated height at `x`, and the number of the environment, which is read once."""
    parts = <Peaks *>handle
    n, environment, highest = parts.dimension, parts.environment, -INFINITY
    first = environment * parts.peaks
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


cdef class Landscape(Evaluation):
    """Moving peaks in all environments, one of which is evaluated at a time; arrays as in `Peaks`.

    An evaluation gives the negated height, inf at a point that is not finite, and the number of the
    environment.
    """

    cdef Peaks parts

    def __init__(self, *, heights, centres, widths, rotations, taus, etas):
        _, peaks, dimension = np.shape(centres)
        self.begin(evaluate_peaks, &self.parts, dimension, 2)
        self.parts = Peaks(
            dimension=dimension, peaks=peaks, environment=0, heights=self.kept(heights),
            centres=self.kept(centres), widths=self.kept(widths), rotations=self.kept(rotations),
            taus=self.kept(taus), etas=self.kept(etas),
        )

    @property
    def environment(self):
        return self.parts.environment

    @environment.setter
    def environment(self, Py_ssize_t number):
        self.parts.environment = number

    @property
    def environment_address(self):
        """The address of that number, an ``int64_t``, for `timefair.problems.problem.Changes`."""
        return <uintptr_t>&self.parts.environment


# --- A noisy problem of COCO ----------------------------------------------------------------------

cdef struct Pair:
    evaluate_t evaluate
    void *problem
    const double *noise_free  # where COCO leaves the noise-free value of its last evaluation
    Py_ssize_t dimension


cdef void evaluate_pair(void *handle, const double *x, double *y) noexcept:
    pair = <Pair *>handle
    pair.evaluate(pair.problem, x, y)
    y[1] = pair.noise_free[0]
    for i in range(pair.dimension):
        if not isfinite(x[i]):  # COCO returns early and leaves the value of an earlier point
            y[1] = y[0]
            return


cdef class NoisyPair(Evaluation):
    """The measured and the noise-free value of COCO; at a point that is not finite, both are what
    COCO gives: NaN or inf. The addresses, of ``coco_evaluate_function``, the problem and the
    noise-free value of its last evaluation, have to be valid as long as this object.
    """

    cdef Pair pair

    def __init__(
        self, uintptr_t evaluate, uintptr_t problem, uintptr_t noise_free, Py_ssize_t dimension
    ):
        self.pair.evaluate = <evaluate_t>evaluate
        self.pair.problem = <void *>problem
        self.pair.noise_free = <const double *>noise_free
        self.pair.dimension = dimension
        self.begin(evaluate_pair, &self.pair, dimension, 2)
