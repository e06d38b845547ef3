"""The fixtures of unit tests, which those of extensions share."""

from fixtures_of_runs import *  # noqa: F403
