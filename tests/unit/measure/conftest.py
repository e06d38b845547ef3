"""What the tests of runs have in common."""

from fixtures_of_runs import problem, reaper  # noqa: F401
