"""The client of the library ``external``, in an environment that has timefair: `serve`."""

from timefair.algorithms.external.client.timefair.external import Objective, serve

__all__ = ["Objective", "serve"]
