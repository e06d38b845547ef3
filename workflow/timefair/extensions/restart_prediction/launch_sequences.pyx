# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True
# distutils: extra_compile_args = -ffp-contract=off
"""Runs made of launches of given lengths, compiled: their cost and their chance of success.

Products and sums are rounded one by one (no contraction), so that a law gives the same numbers on
every processor.
"""

import numpy as np

cimport cython
from libc.math cimport INFINITY, NAN, floor, fmax, fmin, pow

cdef enum:
    MOST_BLOCKS = 2200  # each is at least twice as long as the previous one

cdef double ROUNDING = 1e-12  # relative difference of two costs that is taken for rounding
cdef int MOST_LAST = 16  # launches at the end that are computed one by one; one more gets the rest

cdef struct Law:
    # the law of a launch for one target; consecutive cutoffs are `stride` apart
    const double *cutoffs
    const double *chance
    const double *cost
    const double *failure
    Py_ssize_t size, stride

cdef struct Launch:
    double chance, cost, failure

cdef struct Run:
    # launches so far; `left` is the rest of the budget if none of them reached the target
    double cost, chance, left

# a run whose first launch has a cutoff of this index; `doubling` indices double a cutoff
ctypedef Run (*Policy)(
    const Law *law, Py_ssize_t first, double budget, Py_ssize_t doubling
) noexcept nogil


@cython.final
cdef class Laws:
    """Laws of a launch, one per sample and stratum.

    Each method returns the cost of a run and its probability of success, as arrays of the shape
    (samples, strata, lengths, targets). Both are NaN where a launch would be longer than the last
    cutoff.

    - `cutoffs`, shape (cutoffs,): Rising and positive.
    - `chance`, `cost`, `failure`, shape (samples, strata, cutoffs, targets): As in `statistics.Law`.
    - `alike`, shape (targets,): Whether the law to a target is the same in all strata: it is then
      computed for one of them.
    """

    cdef const double[::1] cutoffs
    cdef const double[:, :, :, ::1] chance, cost, failure
    cdef const unsigned char[::1] alike

    def __init__(self, cutoffs, chance, cost, failure, alike):
        self.cutoffs, self.chance, self.cost, self.failure = cutoffs, chance, cost, failure
        self.alike = alike.view(np.uint8)

    def fixed(self, const Py_ssize_t[:] first, double budget):
        """Launches of the same length, for each cutoff of some indices."""
        return self.each(fixed, first, budget, 0)

    def geometric(self, const Py_ssize_t[:] first, double budget):
        """Launches of which each is twice as long as the previous one, as `fixed`."""
        return self.each(geometric, first, budget, 0)

    def luby(self, const Py_ssize_t[:] first, double budget, Py_ssize_t doubling):
        """Launches of 1, 1, 2, 1, 1, 2, 4, ... units, as `fixed`.

        Each cutoff is twice the cutoff `doubling` indices before it. A launch that may take the
        whole budget has the last cutoff, if that is at least the budget.
        """
        return self.each(luby, first, budget, doubling)

    cdef each(
        self, Policy policy, const Py_ssize_t[:] first, double budget, Py_ssize_t doubling
    ):
        """The runs of a policy for each law, first cutoff and target."""
        cdef Py_ssize_t sample, stratum, k, t
        shape = (
            self.chance.shape[0], self.chance.shape[1], first.shape[0], self.chance.shape[3],
        )
        costs, chances = np.empty(shape), np.empty(shape)
        cdef double[:, :, :, ::1] of_cost = costs, of_chance = chances
        cdef Law law
        cdef Run run
        with nogil:
            for sample in range(self.chance.shape[0]):
                for stratum in range(self.chance.shape[1]):
                    for k in range(first.shape[0]):
                        for t in range(self.chance.shape[3]):
                            if stratum and self.alike[t]:
                                of_cost[sample, stratum, k, t] = of_cost[sample, 0, k, t]
                                of_chance[sample, stratum, k, t] = of_chance[sample, 0, k, t]
                                continue
                            law = Law(
                                &self.cutoffs[0], &self.chance[sample, stratum, 0, t],
                                &self.cost[sample, stratum, 0, t],
                                &self.failure[sample, stratum, 0, t],
                                self.cutoffs.shape[0], self.chance.shape[3],
                            )
                            run = policy(&law, first[k], budget, doubling)
                            of_cost[sample, stratum, k, t] = run.cost
                            of_chance[sample, stratum, k, t] = run.chance
        return costs, chances


# -- policies: one law and one length --------------------------------------------------------


cdef Run fixed(
    const Law *law, Py_ssize_t first, double budget, Py_ssize_t doubling
) noexcept nogil:
    cdef Run run = complete(law, first, budget)
    to_the_end(law, &run, law.cutoffs[first], 1.0)
    return run


cdef Run geometric(
    const Law *law, Py_ssize_t first, double budget, Py_ssize_t doubling
) noexcept nogil:
    cdef Run run = Run(0.0, 0.0, budget)
    to_the_end(law, &run, law.cutoffs[first], 2.0)
    return run


cdef Run luby(
    const Law *law, Py_ssize_t first, double budget, Py_ssize_t doubling
) noexcept nogil:
    """The sequence as blocks: 2^m - 1 launches are twice 2^(m-1) - 1 launches, and a longer one.

    Here ``left`` of a block is the cost of its launches if none of them reaches the target.
    """
    cdef int count = 1
    cdef Run run, block
    cdef Run[MOST_BLOCKS] blocks
    cdef bint fits
    blocks[0] = unit(law, first, budget)
    while blocks[count - 1].left < budget and count < MOST_BLOCKS:
        block = blocks[count - 1]
        follow(&block, &blocks[count - 1])
        run = unit(law, first + count * doubling, budget)
        follow(&block, &run)
        blocks[count] = block
        count += 1
    run = Run(0.0, 0.0, budget)
    while count:
        count -= 1
        fits = take(&run, &blocks[count])
        if fits and take(&run, &blocks[count]):
            break
    cut(law, &run)
    return run


# -- parts of a run ---------------------------------------------------------------------------


cdef inline Launch within(const Law *law, double most) noexcept nogil:
    """A launch up to any cost, on straight lines between the cutoffs; NaN beyond the last one."""
    cdef Py_ssize_t low = 0, high = law.size - 1, middle, place
    cdef double share, other, before
    if not most <= law.cutoffs[high] * (1 + ROUNDING):
        return Launch(NAN, NAN, NAN)
    while low < high:
        middle = (low + high) // 2
        if law.cutoffs[middle] < most:
            low = middle + 1
        else:
            high = middle
    before = law.cutoffs[low - 1] if low else 0.0
    share = fmin(fmax((most - before) / (law.cutoffs[low] - before), 0.0), 1.0)
    place = low * law.stride
    if low == 0:
        return Launch(law.chance[0] * share, law.cost[0] * share, law.failure[0] * share)
    other = 1.0 - share
    return Launch(
        law.chance[place - law.stride] * other + law.chance[place] * share,
        law.cost[place - law.stride] * other + law.cost[place] * share,
        law.failure[place - law.stride] * other + law.failure[place] * share,
    )


cdef inline void add(Run *run, double cost, double chance) noexcept nogil:
    """Something that follows if the target has not been reached."""
    cdef double alive = 1.0 - run.chance
    run.cost += alive * cost
    run.chance += alive * chance


cdef inline void cut(const Law *law, Run *run) noexcept nogil:
    """A last launch, with the rest of the budget."""
    cdef Launch launch = within(law, run.left)
    add(run, launch.cost, launch.chance)


cdef void to_the_end(const Law *law, Run *run, double length, double factor) noexcept nogil:
    """Launches of rising lengths; the last one is cut when the budget ends."""
    cdef Launch launch
    cdef double after
    cdef int made
    for made in range(MOST_LAST):
        if not run.left > 0.0:
            return
        launch = within(law, fmin(length, run.left))
        after = run.left - launch.failure
        add(run, launch.cost, launch.chance)
        run.left = after if after > ROUNDING * run.left else 0.0
        length *= factor
    cut(law, run)


cdef inline Run complete(const Law *law, Py_ssize_t index, double budget) noexcept nogil:
    """As many launches of a cutoff as fit before the last one, in closed form."""
    cdef Py_ssize_t place = index * law.stride
    cdef double chance = law.chance[place], failure = law.failure[place], made, alive, launches
    made = floor(fmax(budget - law.cutoffs[index], 0.0) / failure * (1 + ROUNDING))
    if law.cutoffs[index] <= budget:
        made += 1.0
    alive = pow(1.0 - chance, made)
    launches = (1.0 - alive) / chance if chance > 0.0 else made
    return Run(law.cost[place] * launches, 1.0 - alive, fmax(budget - made * failure, 0.0))


cdef inline Run unit(const Law *law, Py_ssize_t index, double budget) noexcept nogil:
    """One launch of a cutoff; its length is `inf` if neither the cutoff nor the budget is known."""
    cdef Py_ssize_t last = law.size - 1
    cdef Py_ssize_t place = min(index, last) * law.stride
    cdef double length = law.failure[place]
    if index > last and law.cutoffs[last] < budget:
        length = INFINITY
    return Run(law.cost[place], law.chance[place], length)


cdef inline void follow(Run *block, const Run *other) noexcept nogil:
    add(block, other.cost, other.chance)
    block.left += other.left


cdef inline bint take(Run *run, const Run *block) noexcept nogil:
    """Add a block if the rest of the budget has room for it; whether it has."""
    if not block.left <= run.left * (1 + ROUNDING):
        return False
    add(run, block.cost, block.chance)
    run.left = fmax(run.left - block.left, 0.0)
    return True
