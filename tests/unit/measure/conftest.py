"""What the tests of runs have in common."""

import contextlib

import pytest
from fixtures_of_runs import problem, reaper  # noqa: F401


@pytest.fixture
def bench(request):
    """``bench(...)``: the `Bench` that the test's module has, closed after the test."""
    with contextlib.ExitStack() as stack:

        def make(*args, **options):
            made = request.module.Bench(*args, **options)
            stack.callback(made.state.close)
            return made

        yield make
