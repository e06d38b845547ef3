"""Engineering problems with constraints: problems 8 to 33 of the CEC2020 real-world suite.

Kumar et al., Swarm and Evolutionary Computation 56, 2020, where f_opt is the best value that is
stated, but for problems 18, 25, 30 and 31 (docs/reference/suites.md).
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from math import copysign, pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.problems.kinds import Constraints, Kind
from timefair.problems.problem import Problem, ProblemName, Suite, Variables, refusing

TOLERANCE = 1e-4  # of equalities
Values = tuple[Any, Sequence[Any], Sequence[Any]]  # f, inequalities (at most 0) and equalities (0)


def _synthesis(x1: Any, y: Any) -> Values:
    return 2 * x1 + y, (1.25 - x1**2 - y, x1 + y - 1.6), ()


def _synthesis_and_design(x1: Any, x2: Any, y: Any) -> Values:
    return -y + 2 * x1 + x2, (-x1 + x2 + y,), (x1 - 2 * np.exp(-x2),)


def _flow_sheeting(x1: Any, x2: Any, y: Any) -> Values:
    f = -0.7 * y + 5 * (x1 - 0.5) ** 2 + 0.8
    return f, (-np.exp(x1 - 0.2) - x2, x2 + 1.1 * y + 1, x1 - y - 0.2), ()


def _two_reactors(x1: Any, x2: Any, v1: Any, v2: Any, y1: Any, y2: Any, x: Any) -> Values:
    z1, z2 = 0.9 * (1 - np.exp(-0.5 * v1)) * x1, 0.8 * (1 - np.exp(-0.4 * v2)) * x2
    f = 7.5 * y1 + 5.5 * y2 + 7 * v1 + 6 * v2 + 5 * x
    h = y1 + y2 - 1, z1 + z2 - 10, x1 + x2 - x, z1 * y1 + z2 * y2 - 10
    return f, (v1 - 10 * y1, v2 - 10 * y2, x1 - 20 * y1, x2 - 20 * y2), h


def _synthesis_7(x1: Any, x2: Any, x3: Any, y1: Any, y2: Any, y3: Any, y4: Any) -> Values:
    whole = (y1 - 1) ** 2 + (y2 - 1) ** 2 + (y3 - 1) ** 2 - np.log(y4 + 1)
    g = (
        x1 + x2 + x3 + y1 + y2 + y3 - 5,
        y3**2 + x1**2 + x2**2 + x3**2 - 5.5,
        x1 + y1 - 1.2,
        x2 + y2 - 1.8,
        x3 + y3 - 2.5,
        x1 + y4 - 1.2,
        y2**2 + x2**2 - 1.64,
        y3**2 + x3**2 - 4.25,
        y2**2 + x3**2 - 4.64,
    )
    return whole + (x1 - 1) ** 22 + (x2 - 2) ** 2 + (x3 - 3) ** 2, g, ()


def _process_design(x1: Any, x2: Any, x3: Any, y1: Any, y2: Any) -> Values:
    f = -5.357854 * x1**2 - 0.835689 * y1 * x3 - 37.29329 * y1 + 40792.141
    g = (
        85.334407 + 0.0056858 * y2 * x3 + 0.0006262 * y1 * x2 - 0.0022053 * y1 * y1 * x3 - 92,
        80.51249 + 0.0071317 * y2 * x3 + 0.0029955 * y1 * x2 + 0.0021813 * x1**2 - 110,
        9.300961 + 0.0047026 * y1 * x2 + 0.0012547 * y1 * x1 + 0.0019085 * x1 * x2 - 25,
    )
    return f, g, ()


def _batch_plant(*x: Any) -> Values:
    n, v, t1, t2, b1, b2 = np.array(x[:3]), np.array(x[3:6]), *x[6:]
    sizes = np.array([2, 3, 4]) * b1 + np.array([4, 6, 3]) * b2 - v
    times = (np.array([8, 20, 8]) - n * t1, np.array([16, 4, 4]) - n * t2)
    return (
        250 * np.sum(n * v**0.6),
        (40000 * t1 / b1 + 20000 * t2 / b2 - 6000, *sizes, *times[0], *times[1]),
        (),
    )


def _speed_reducer(x1: Any, x2: Any, x3: Any, x4: Any, x5: Any, x6: Any, x7: Any) -> Values:
    f = (
        0.7854 * x1 * x2**2 * (3.3333 * x3**2 + 14.9334 * x3 - 43.0934)
        - 1.508 * x1 * (x6**2 + x7**2)
        + 7.477 * (x6**3 + x7**3)
        + 0.7854 * (x4 * x6**2 + x5 * x7**2)
    )
    g = (
        27 - x1 * x2**2 * x3,
        397.5 - x1 * x2**2 * x3**2,
        1.93 - x2 * x6**4 * x3 / x4**3,
        1.93 - x2 * x7**4 * x3 / x5**3,
        10 / x6**3 * np.sqrt(16.91e6 + (745 * x4 / (x2 * x3)) ** 2) - 1100,
        10 / x7**3 * np.sqrt(157.5e6 + (745 * x5 / (x2 * x3)) ** 2) - 850,
        x2 * x3 - 40,
        5 - x1 / x2,
        x1 / x2 - 12,
        1.5 * x6 - x4 + 1.9,
        1.1 * x7 - x5 + 1.9,
    )
    return f, g, ()


def _refrigeration(*x: Any) -> Values:
    x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14 = x
    f = (
        (63098.88 * x2 * x4 + 5441.5 * x2**2) * x12
        + (115055.5 * x2**1.664 + 6172.27 * x2**2) * x6
        + (63098.88 * x1 * x3 + 5441.5 * x1**2) * x11
        + (115055.5 * x1**1.664 + 6172.27 * x1**2) * x5
        + (140.53 * x1 + 281.29 * x3) * x11
        + 70.26 * x1**2
        + 281.29 * x1 * x3
        + 281.29 * x3**2
        + 14437 * x8**1.8812 * x12**0.3424 * x10 / x14 * x1**2 * x7 / x9
        + 20470.2 * x7**2.893 * x11**0.316 * x1**2
    )
    g = (
        1.524 / x7 - 1,
        1.524 / x8 - 1,
        0.07789 * x1 - 2 / x7 * x9 - 1,
        7.05305 / x9 * x1**2 * x10 / x8 / x2 / x14 - 1,
        0.0833 / x13 * x14 - 1,
        0.04771 * x10 * x8**1.8812 * x12**0.3424 - 1,
        0.0488 * x9 * x7**1.893 * x11**0.316 - 1,
        0.0099 * x1 / x3 - 1,
        0.0193 * x2 / x4 - 1,
        0.0298 * x1 / x5 - 1,
        47.136 * x2**0.333 / x10 * x12
        - 1.333 * x8 * x13**2.1195
        + 62.08 * x13**2.1195 * x8**0.2 / (x12 * x10)
        - 1,
        0.056 * x2 / x6 - 1,
        2 / x9 - 1,
        2 / x10 - 1,
        x12 / x11 - 1,
    )
    return f, g, ()


def _spring(d: Any, w: Any, n: Any) -> Values:
    g = (
        1 - w**3 * n / (71785 * d**4),
        (4 * w**2 - d * w) / (12566 * (w * d**3 - d**4)) + 1 / (5108 * d**2) - 1,
        1 - 140.45 * d / (w**2 * n),
        (d + w) / 1.5 - 1,
    )
    return d**2 * w * (n + 2), g, ()


def _pressure_vessel(shell: Any, head: Any, r: Any, length: Any) -> Values:
    s, h = 0.0625 * shell, 0.0625 * head
    f = 0.6224 * s * r * length + 1.7781 * h * r**2 + 3.1661 * s**2 * length + 19.84 * s**2 * r
    volume = pi * r**2 * length + 4 / 3 * pi * r**3
    return f, (0.0193 * r - s, 0.00954 * r - h, 1296000 - volume, length - 240), ()


def _welded_beam(h: Any, length: Any, t: Any, b: Any) -> Values:
    load, span, e, shear = 6000, 14, 30e6, 12e6
    buckling = 4.013 * e * np.sqrt(t**2 * b**6 / 30) / span**2
    buckling *= 1 - t / (2 * span) * np.sqrt(e / (4 * shear))
    square = length**2 / 4 + (h + t) ** 2 / 4
    r, j = np.sqrt(square), 2 * (np.sqrt(2) * h * length * square)
    bending = load * (span + length / 2) * r / j
    direct = load / (np.sqrt(2) * h * length)
    stress = np.sqrt(direct**2 + 2 * direct * bending * length / (2 * r) + bending**2)
    g = (
        stress - 13600,
        6 * load * span / (b * t**2) - 30000,
        h - b,
        6 * load * span**3 / (e * t**2 * b) - 0.25,
        load - buckling,
    )
    return 1.10471 * h**2 * length + 0.04811 * t * b * (14 + length), g, ()


def _three_bar_truss(x1: Any, x2: Any) -> Values:
    root = np.sqrt(2)
    both = root * x1**2 + 2 * x1 * x2
    g = (root * x1 + x2) / both * 2 - 2, x2 / both * 2 - 2, 1 / (root * x2 + x1) * 2 - 2
    return (2 * root * x1 + x2) * 100, g, ()


def _clutch_brake(inner: Any, outer: Any, t: Any, force: Any, z: Any) -> Values:
    cubes, squares = outer**3 - inner**3, outer**2 - inner**2
    speed = pi * (2 / 3 * cubes / (outer**2 * inner**2)) * 250 / 30
    pressure = force / (pi * squares)
    torque = 2 / 3 * 0.6 * force * z * cubes / squares
    stopping = 55 * (pi * 250 / 30) / (torque + 3)
    g = (
        inner - outer + 20,
        (z + 1) * (t + 0.5) - 30,
        pressure - 1,
        pressure * speed - 10,
        speed - 10,
        stopping - 15,
        60 - torque,
        -stopping,
    )
    return pi * squares * t * (z + 1) * 0.0000078, g, ()


def _planetary_gear(*x: Any) -> Values:
    n1, n2, n3, n4, n5, n6 = x[:6]
    p = (3, 4, 5)[int(x[6]) - 1]
    m1, m2 = ((1.75, 2, 2.25, 2.5, 2.75, 3.0)[int(each) - 1] for each in x[7:])
    ratios = n6 / n4 - 3.11, n6 * (n1 * n3 + n2 * n4) / (n1 * n3 * (n6 - n4)) - 1.84
    a, b, c = n6 - n3, n4 + n5, n3 + n5
    angle = np.arccos((a**2 + b**2 - c**2) / (2 * a * b))
    room = (c + 2.5) ** 2 - (a**2 + b**2 - 2 * a * b * np.cos(2 * pi / p - angle))
    g = (
        m2 * (n6 + 2.5) - 220,
        m1 * (n1 + n2) + m1 * (n2 + 2) - 220,
        m2 * b + m2 * (n5 + 2) - 220,
        abs(m1 * (n1 + n2) - m2 * a) - m1 - m2,
        n2 + 2.5 - (n1 + n2) * np.sin(pi / p),
        n3 + 2.5 - a * np.sin(pi / p),
        n5 + 2.5 - b * np.sin(pi / p),
        1e6 if np.isnan(angle) else room,
        2 * n3 + n4 + 5 - n6,
        n4 + 2 * n5 + 5 - n6,
    )
    return max(*ratios, 3.11 - n2 * n6 / (n1 * n3)), g, (np.fmod(n6 - n4, p),)


def _step_cone_pulley(*x: Any) -> Values:
    d, w = np.array(x[:4]) * 1e-3, x[4] * 1e-3
    speeds = np.array([750, 450, 250, 150])
    ratio = speeds / 350
    f = 7200 * w * pi / 4 * np.sum(d**2 * (1 + ratio**2))
    lengths = pi * d / 2 * (1 + ratio) + (ratio - 1) ** 2 * d**2 / 12 + 6
    wrap = 0.35 * (pi - 2 * np.arcsin((ratio - 1) * d / 6))
    power = 1.75e6 * 8e-3 * w * (1 - np.exp(-wrap)) * pi * d * speeds / 60
    return f, (*(2 - np.exp(wrap)), *(0.75 * 745.6998 - power)), tuple(lengths[0] - lengths[1:])


def _arccos(w: complex) -> complex:
    """As Octave has it for real numbers out of -1 to 1."""
    w = complex(w)
    return cmath.acos(w if w.imag else complex(w.real, -copysign(0.0, w.real)))


def _below(a: complex, b: complex) -> bool:
    """a < b; complex numbers by absolute value, then by argument, as in Octave."""
    if a.imag == b.imag == 0:
        return a.real < b.real
    return (abs(a), cmath.phase(a)) < (abs(b), cmath.phase(b))


def _sign(a: complex) -> complex:
    return a / abs(a) if a else 0.0


def _least(f: Callable[[complex], complex], upper: float) -> complex:
    """The value that ``fminbnd(f, 0, upper)`` of Octave finds, by Brent's method of 1973."""
    golden, a, b = 0.5 * (3 - 5**0.5), complex(0), complex(upper)
    x = v = w = golden * b
    fx = fv = fw = f(x)
    e = d = complex(0)
    for _ in range(499):
        middle = 0.5 * (a + b)
        tolerance = 2 * 2.0**-52 * abs(x) + 1e-4 / 3
        if not _below(2 * tolerance - 0.5 * (b - a), complex(abs(x - middle))):
            break
        parabolic = abs(e) > tolerance
        if parabolic:
            r, q = (x - w) * (fx - fv), (x - v) * (fx - fw)
            p, q = (x - v) * q - (x - w) * r, 2 * (q - r)
            p, q, r, e = -p * _sign(q), complex(abs(q)), e, d
            parabolic = (
                abs(p) < abs(0.5 * q * r) and _below(q * (a - x), p) and _below(p, q * (b - x))
            )
        if parabolic:
            d = p / q
            u = x + d
            nearest = b - u if _below(b - u, u - a) else u - a
            if _below(nearest, complex(2 * tolerance)):
                d = tolerance * (_sign(middle - x) + (middle == x))
        else:
            e = b - x if _below(x, middle) else a - x
            d = golden * e
        u = x + max(abs(d), tolerance) * (_sign(d) + (d == 0))
        fu = f(u)
        before = _below(u, x)
        if _below(fu, fx):
            a, b = (a, x) if before else (x, b)
            v, fv, w, fw, x, fx = w, fw, x, fx, u, fu
            continue
        a, b = (u, b) if before else (a, u)
        if not _below(fw, fu) or w == x:
            v, fv, w, fw = w, fw, u, fu
        elif not _below(fv, fu) or v in (x, w):
            v, fv = u, fu
    return fx


def _robot_gripper(a: Any, b: Any, c: Any, e: Any, f: Any, length: Any, delta: Any) -> Values:
    actuator = 99.9999

    def angles(z: complex) -> tuple[complex, complex]:
        left = length - z
        square = left**2 + e**2
        alpha = _arccos((a**2 + square - b**2) / (2 * a * square**0.5))
        return alpha, _arccos((b**2 + square - a**2) / (2 * b * square**0.5))

    def force(z: complex) -> complex:
        alpha, beta = angles(z)
        turned = alpha + cmath.atan(e / (length - z))
        return complex(100 * b * cmath.sin(alpha + beta) / (2 * c * cmath.cos(turned)))

    def opening(z: float) -> complex:
        beta = angles(z)[1] - cmath.atan(e / (length - z))
        return complex(2 * (e + f + c * cmath.sin(beta + delta)))

    spread = -_least(lambda z: -force(z), actuator) - _least(force, actuator)
    narrow, wide = opening(actuator), opening(0.0)
    g = (
        *(narrow - 50, -narrow, 100 - wide, wide - 150),
        length**2 + e**2 - (a + b) ** 2,
        b**2 - (a - e) ** 2 - (length - actuator) ** 2,
        actuator - length,
    )
    real = [1e4 if each.imag else each.real for each in map(complex, (spread, *g))]
    return real[0], real[1:], ()


def _thrust_bearing(r: Any, recess: Any, mu: Any, flow: Any) -> Values:
    exponent = (np.log10(np.log10(8.122e6 * mu + 0.8)) - 10.04) / -3.55
    rise = 2 * (10**exponent - 560)
    loss = 9336 * flow * 0.0307 * 0.5 * rise
    film = (2 * pi * 750 / 60) ** 2 * 2 * pi * mu / loss * (r**4 / 4 - recess**4 / 4) - 1e-5
    inlet = 6 * mu * flow / (pi * film**3) * np.log(r / recess)
    load = pi * inlet / 2 * (r**2 - recess**2) / (np.log(r / recess) - 1e-5)
    g = (
        101000 - load,
        inlet - 1000,
        rise - 50,
        0.001 - film,
        recess - r,
        0.0307 / (386.4 * inlet) * (flow / (2 * pi * r * film)) - 0.001,
        load / (pi * (r**2 - recess**2) + 1e-5) - 5000,
    )
    return (flow * inlet / 0.7 + loss) / 12, g, ()


PITCHES = np.array([3.175, 5.715, 8.255, 12.7])


def _gear_box(*x: Any) -> Values:
    """Four stages, each with a pinion of n teeth and a gear of m teeth."""
    whole = np.array(x, dtype=int)
    n, m = whole[0:8:2].astype(float), whole[1:8:2].astype(float)
    b, places = PITCHES[whole[8:12] - 1], 12.7 * whole[12:]
    x1, gear_x, y1, gear_y = places[0], places[1:5], places[5], places[6:]
    pinion_x, pinion_y = np.array([x1, *gear_x[1:]]), np.array([y1, *gear_y[1:]])
    c, teeth = np.hypot(gear_x - x1, gear_y - y1), n + m
    torque = 366000 / (pi * 5000) * np.array([1, *np.cumprod(m / n)[:3]]) + 2 * c * n / teeth
    sine, cosine, size = np.sin(pi / 9), np.cos(pi / 9), 55.9 * 1.5 * 1.6
    contact = (3290 / 464) ** 2 * sine * cosine / (0.0334 * size)
    overlap = sum(k * np.sqrt(sine**2 / 4 + 1 / k + 1 / k**2) for k in (n, m))
    pinion, gear = (n + 2) * c / teeth, (m + 2) * c / teeth

    def only(pitch: float, sign: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        others = PITCHES[pitch != PITCHES]
        return np.asarray(sign * values * np.prod(b - others[:, np.newaxis], axis=0))

    slip = np.array([*teeth[:2], n[1] + m[2], n[2] + m[3]])  # as in the program
    p1, p2, p3, p4 = PITCHES
    speed = 5000 * np.prod(n) / np.prod(m)
    g = np.concatenate(
        [
            torque * (teeth**2 / (4 * b * c**2 * n)) - 2090 * 0.2 / (0.0167 * size),
            torque * (teeth**3 / (4 * b * c**2 * m * n**2)) - contact,
            1.4 * pi * cosine - overlap + sine * teeth / 2,
            25.4 - 2 * c * n / teeth,
            25.4 - 2 * c * m / teeth,
            *(pinion_x + pinion - 127, pinion - pinion_x, pinion_y + pinion - 127),
            *(pinion - pinion_y, gear_x + gear - 127, gear - gear_x, gear_y + gear - 127),
            gear - gear_y,
            *(only(p1, -1, 0.945 * c - teeth), only(p2, 1, 0.646 * c - teeth)),
            *(only(p3, -1, 0.504 * c - teeth), only(p4, 1, -teeth)),
            *(only(p1, -1, teeth - 1.812 * c), only(p2, 1, teeth - 0.945 * c)),
            *(only(p3, -1, slip - 0.646 * c), only(p4, 1, teeth - 0.504 * c)),
            [245 - speed, speed - 255],
        ]
    )
    g[np.isinf(g)] = 1e6
    return pi / 1000 * np.sum(b * c**2 * (n**2 + m**2) / teeth**2), tuple(g), ()


def _bar(start: Sequence[int], end: Sequence[int], a: int, b: int) -> NDArray[np.float64]:
    """Stiffness and mass of a bar between the joints a and b of the truss, per area; its length."""
    along = 9.144 * (np.array(end) - start)
    length = np.hypot(*along)
    matrices: NDArray[np.float64] = np.zeros((3, 12, 12))
    places = np.ix_(*[[2 * a, 2 * a + 1, 2 * b, 2 * b + 1]] * 2)
    matrices[0][places] = np.kron([[1, -1], [-1, 1]], np.outer(along, along) / length**3)
    matrices[1][places] = length / 6 * np.kron([[2, 1], [1, 2]], np.eye(2))
    matrices[2, 0, 0] = length
    return matrices


JOINTS = ((2, 1), (2, 0), (1, 1), (1, 0), (0, 1), (0, 0))
"""Of the truss, in units of 9.144 m; the last two are fixed."""
ENDS = ((2, 4), (0, 2), (3, 5), (1, 3), (2, 3), (0, 1), (3, 4), (2, 5), (1, 2), (0, 3))
BARS = np.stack([_bar(JOINTS[a], JOINTS[b], a, b) for a, b in ENDS], axis=-1)


def _ten_bars(*areas: Any) -> Values:
    """The mass; the first three natural frequencies are at least 7, 15 and 20 Hz."""
    stiffness, mass, lengths = BARS @ np.array(areas)
    total, squares = 2770 * lengths[0, 0], np.full(8, np.nan)
    if np.isfinite(total):
        loaded = 454 * np.eye(8) + 2770 * mass[:8, :8]
        squares = np.linalg.eigvals(np.linalg.solve(loaded, 6.98e10 * stiffness[:8, :8]))
    hertz = np.sqrt(np.sort(squares.real)[:3]) / (2 * pi)
    return total, tuple(np.array([7, 15, 20]) / hertz - 1), ()


def _rolling_bearing(*x: Any) -> Values:
    dm, db, z, fi, fo, low, high, eps, e, chi = x
    outer, inner = 160, 90
    t = outer - inner - 2 * db
    a, b, c = 0.5 * (outer - inner) - 0.75 * t, 0.5 * outer - 0.25 * t - db, 0.5 * inner + 0.25 * t
    angle = 2 * pi - 2 * np.arccos((a**2 + b**2 - c**2) / (2 * a * b))
    ratio = db / dm
    grooves = (fi * (2 * fo - 1) / (fo * (2 * fi - 1))) ** 0.41
    factor = (
        37.91 * (1 + (1.04 * ((1 - ratio) / (1 + ratio)) ** 1.72 * grooves) ** (10 / 3)) ** -0.3
    )
    factor *= ratio**0.3 * (1 - ratio) ** 1.39 / (1 + ratio) ** (1 / 3)
    factor *= (2 * fi / (2 * fi - 1)) ** 0.41
    size = 3.647 * db**1.4 if db > 25.4 else db**1.8
    g = (
        z - 1 - angle / (2 * np.arcsin(ratio)),
        low * (outer - inner) - 2 * db,
        2 * db - high * (outer - inner),
        chi * 30 - db,
        0.5 * (outer + inner) - dm,
        dm - (0.5 + e) * (outer + inner),
        eps * db - 0.5 * (outer - dm - db),
        0.515 - fi,
        0.515 - fo,
    )
    return factor * z ** (2 / 3) * size, g, ()


def _gas_compressor(x1: Any, x2: Any, x3: Any, x4: Any) -> Values:
    f = 8.61e5 * x1**0.5 * x2 * x3 ** (-2 / 3) * x4**-0.5
    f += 3.69e4 * x3 + 7.72e8 / x1 * x2**0.219 - 765.43e6 / x1
    return f, (x4 / x2**2 + 1 / x2**2 - 1,), ()


WIRES = (  # the 25th is 0.0105 in the program, for 0.105
    *(0.009, 0.0095, 0.0104, 0.0118, 0.0128, 0.0132, 0.014, 0.015, 0.0162, 0.0173, 0.018, 0.020),
    *(0.023, 0.025, 0.028, 0.032, 0.035, 0.041, 0.047, 0.054, 0.063, 0.072, 0.080, 0.092),
    *(0.0105, 0.120, 0.135, 0.148, 0.162, 0.177, 0.192, 0.207, 0.225, 0.244, 0.263, 0.283),
    *(0.307, 0.331, 0.362, 0.394, 0.4375, 0.500),
)


def _spring_of_wires(n: Any, coil: Any, number: Any) -> Values:
    d = WIRES[int(number) - 1]
    wahl = (4 * coil / d - 1) / (4 * coil / d - 4) + 0.615 * d / coil
    rate = 11.5e6 * d**4 / (8 * n * coil**3)
    free, preload = 1000 / rate + 1.05 * (n + 2) * d, 300 / rate
    g = (
        8000 * wahl * coil / (pi * d**3) - 189000,
        free - 14,
        0.2 - d,
        coil - 3,
        3 - coil / d,
        preload - 6,
        preload + 700 / rate + 1.05 * (n + 2) * d - free,
        1.25 - 700 / rate,
    )
    return pi**2 * coil * d**2 * (n + 2) / 4, g, ()


def _gear_train(x1: Any, x2: Any, x3: Any, x4: Any) -> Values:
    """Without constraints; the program returns one that is 0."""
    return (1 / 6.931 - x1 * x2 / (x3 * x4)) ** 2, (0.0,), ()


def _himmelblau(x1: Any, x2: Any, x3: Any, x4: Any, x5: Any) -> Values:
    a = 85.334407 + 0.0056858 * x2 * x5 + 0.0006262 * x1 * x4 - 0.0022053 * x3 * x5
    b = 80.51249 + 0.0071317 * x2 * x5 + 0.0029955 * x1 * x2 + 0.0021813 * x3**2
    c = 9.300961 + 0.0047026 * x3 * x5 + 0.0012547 * x1 * x3 + 0.0019085 * x3 * x4
    f = 5.3578547 * x3**2 + 0.8356891 * x1 * x5 + 37.293239 * x1 - 40792.141
    return f, (a - 92, -a, b - 110, 90 - b, c - 25, 20 - c), ()


FIRST = np.array([1 / 2, 1 / 8, -1 / 4, -1 / 8, -1 / 4, -1 / 8, 0, 1 / 8])
SECOND = np.array([-1 / 6, 1 / 8, -1 / 12, 3 / 8, 1 / 12, -1 / 8, 1 / 6, -3 / 8])
PLACES = "01234567 10765432 27056341 36507214 45670123 54321076 63412705 72143650"
ELEMENT = (2.06 / (1 - 0.3**2) * (FIRST + 0.3 * SECOND))[
    [[*map(int, row)] for row in PLACES.split()]
]
"""The stiffness of a square element, for Poisson's ratio 0.3 and the elasticity 2.06."""
COLUMN, ROW = np.divmod(np.arange(30), 10)
FREEDOMS = (
    2 * (11 * COLUMN + ROW + np.array([[0], [11], [12], [1]])).T[..., None] + [0, 1]
).reshape(30, 8)
NEAR = np.maximum(1.5 - np.hypot(COLUMN[:, None] - COLUMN, ROW[:, None] - ROW), 0)


def _topology(*densities: Any) -> Values:
    """The compliance of a cantilever of 3 x 10 elements, and its filtered derivatives (Sigmund, "A
    99 line topology optimization code written in Matlab", 2001)."""
    x, u, load = np.array(densities), np.zeros(88), np.zeros(66)
    stiffness, load[-1] = np.zeros((88, 88)), -1
    of_elements = x[:, None, None] ** 3 * ELEMENT
    np.add.at(stiffness, (FREEDOMS[:, :, None], FREEDOMS[:, None, :]), of_elements)
    try:
        u[22:] = np.linalg.solve(stiffness[22:, 22:], load)  # the left edge is fixed
    except np.linalg.LinAlgError:  # at densities of 0, which are out of bounds
        u[22:] = np.nan
    energy = np.einsum("ei,ij,ej->e", u[FREEDOMS], ELEMENT, u[FREEDOMS])
    g = NEAR @ (-3 * x**3 * energy) / (x * NEAR.sum(axis=1))
    return np.sum(x**3 * energy), tuple(g), ()


class Design(NamedTuple):
    """A problem of the suite; with ``whole``, the places of variables that are whole numbers."""

    name: str
    values: Callable[..., Values]
    f_opt: float
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    whole: Sequence[int] = ()


# fmt: off
DESIGNS = {
    8: Design("process synthesis", _synthesis, 2.0, (0, 0), (1.6, 1), (1,)),
    9: Design("process synthesis and design", _synthesis_and_design, 2.557654574, (0.5, 0.5, 0),
        (1.4, 1.4, 1), (2,)),
    10: Design("process flow sheeting", _flow_sheeting, 1.0765430833, (0.2, -2.22554, 0),
        (1, -1, 1), (2,)),
    11: Design("two reactors", _two_reactors, 99.238463653, (0,) * 7, (20, 20, 10, 10, 1, 1, 40),
        (4, 5)),
    12: Design("process synthesis, 7 variables", _synthesis_7, 2.9248305537, (0,) * 7,
        (100, 100, 100, 1, 1, 1, 1), (3, 4, 5, 6)),
    13: Design("process design", _process_design, 26887.0, (27, 27, 27, 78, 33),
        (45, 45, 45, 102, 45), (3, 4)),
    14: Design("multi-product batch plant", _batch_plant, 53638.942722,
        (1, 1, 1, 250, 250, 250, 6, 4, 40, 10), (3, 3, 3, 2500, 2500, 2500, 20, 16, 700, 450),
        (0, 1, 2)),
    15: Design("speed reducer", _speed_reducer, 2994.4244658, (2.6, 0.7, 17, 7.3, 7.3, 2.9, 5),
        (3.6, 0.8, 28, 8.3, 8.3, 3.9, 5.5)),
    16: Design("industrial refrigeration", _refrigeration, 0.032213000814, (0.001,) * 14,
        (5,) * 14),
    17: Design("spring", _spring, 0.012665232788, (0.05, 0.25, 2), (2, 1.3, 15)),
    18: Design("pressure vessel", _pressure_vessel, 6059.714335048, (1, 1, 10, 10),
        (99, 99, 200, 200), (0, 1)),
    19: Design("welded beam", _welded_beam, 1.6702177263, (0.125, 0.1, 0.1, 0.1), (2, 10, 10, 2)),
    20: Design("three-bar truss", _three_bar_truss, 263.89584338, (0, 0), (1, 1)),
    21: Design("disk clutch brake", _clutch_brake, 0.2352424579, (60, 90, 1, 0, 2),
        (80, 110, 3, 1000, 9)),
    22: Design("planetary gear train", _planetary_gear, 0.52576870748,
        (17, 14, 14, 17, 14, 48, 1, 1, 1), (96, 54, 51, 46, 51, 124, 3, 6, 6), range(9)),
    23: Design("step-cone pulley", _step_cone_pulley, 16.069868725, (0, 0, 0, 0, 0),
        (60, 60, 90, 90, 90)),
    24: Design("robot gripper", _robot_gripper, 2.5287918415, (10, 10, 100, 0, 10, 100, 1),
        (150, 150, 200, 50, 150, 300, 3.14)),
    25: Design("thrust bearing", _thrust_bearing, 1616.1197650512, (1, 1, 1e-06, 1),
        (16, 16, 1.6e-05, 16)),
    26: Design("four-stage gear box", _gear_box, 35.359231973, (*(7,) * 8, *(1,) * 14),
        (*(76,) * 8, *(4,) * 4, *(9,) * 10), range(22)),
    27: Design("10-bar truss", _ten_bars, 524.45076066, (6.45e-5,) * 10, (5e-3,) * 10),
    28: Design("rolling element bearing", _rolling_bearing, 14614.135715,
        (125, 10.5, 5, 0.515, 0.515, 0.4, 0.6, 0.3, 0.02, 0.6),
        (150, 31.5, 50, 0.6, 0.6, 0.5, 0.7, 0.4, 0.1, 0.85), (2,)),
    29: Design("gas compressor", _gas_compressor, 2964895.4173, (20, 1, 20, 0.1),
        (50, 10, 50, 60)),
    30: Design("spring of wires", _spring_of_wires, 2.658559166, (1, 0.6, 1), (70, 3, 42),
        (0, 2)),
    31: Design("gear train", _gear_train, 2.700857148886513e-12, (12, 12, 12, 12),
        (60, 60, 60, 60), range(4)),
    32: Design("Himmelblau", _himmelblau, -30665.538672, (78, 33, 27, 27, 27),
        (102, 45, 45, 45, 45)),
    33: Design("topology", _topology, 2.639346497036, (0.001,) * 30, (1,) * 30),
}
# fmt: on


class Engineering(Suite):
    name = "engineering"
    functions = tuple(DESIGNS)  # type: ignore[assignment]
    own_dimensions: Mapping[int, int] = {k: len(design.lower) for k, design in DESIGNS.items()}
    fixed = own_dimensions
    dimensions = sorted(set(own_dimensions.values()))
    instances = (1,)
    variables: Variables = "mixed"
    kind: type[Kind] = Constraints
    names: Mapping[int, str] = {number: design.name for number, design in DESIGNS.items()}

    def variables_of(self, function: int) -> Variables:
        whole = len(DESIGNS[function].whole)
        if whole == self.own_dimensions[function]:
            return "integer"
        return "mixed" if whole else "continuous"

    def make(self, name: ProblemName) -> Problem:
        design = DESIGNS[name.function]
        lower, upper = np.array(design.lower, float), np.array(design.upper, float)
        integer = np.isin(np.arange(name.dimension), design.whole)

        def values(x: NDArray[np.float64]) -> Values:
            with np.errstate(all="ignore"):
                return design.values(*x)

        def constraints(x: NDArray[np.float64]) -> NDArray[np.float64]:
            _, g, h = values(x)
            return np.array([*g, *(abs(each) - TOLERANCE for each in h)], dtype=float)

        evaluate = refusing(lambda x: float(values(x)[0]), name, lower, upper, integer)
        kind = Constraints(len(constraints(upper)), constraints, written=lambda x: values(x)[1:])
        return Problem(name, evaluate, lower, upper, design.f_opt, integer, kind=kind)


ENGINEERING = Engineering()
"""26 engineering designs with inequality and equality constraints."""
