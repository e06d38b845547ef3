"""The fixtures of unit tests."""

from fixtures_of_runs import *  # noqa: F403
