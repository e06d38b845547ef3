"""Runs a module of timefair in an interpreter that does not have timefair installed.

``python bootstrap.py OPTIONS`` with a JSON object: ``module``, whose ``main(*arguments)`` is
called; ``arguments``; ``folders`` to put first on ``sys.path``; ``compiled``, a folder with
extension modules for other versions of Python than the one that timefair was built for.

Only the package ``timefair`` becomes importable: the folder that contains it may contain all
packages of the interpreter that runs the workflow. This file also runs in versions of Python that
are too old to measure, so that it can report this.
"""

import importlib
import importlib.util
import json
import os
import sys
import sysconfig
from typing import Any

OLDEST = (3, 11)
"""The oldest version of Python with which timefair measures."""

TOO_OLD = 99
"""The exit status in an older version."""

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Compiled:
    """Finds extension modules of timefair in a folder of their own."""

    def __init__(self, folder: str) -> None:
        self._folder, self._suffix = folder, sysconfig.get_config_var("EXT_SUFFIX")

    def find_spec(self, name: str, *_: Any) -> Any:
        """The module of that name, if it is one of timefair and the folder has it."""
        file = os.path.join(self._folder, name + self._suffix)
        if name.startswith("timefair.") and os.path.isfile(file):
            return importlib.util.spec_from_file_location(name, file)
        return None


def main(options: Any) -> None:
    """Make timefair importable, then import the module without pydantic, and call its main."""
    if os.path.abspath(sys.path[0]) == os.path.dirname(os.path.abspath(__file__)):
        del sys.path[0]
    spec: Any = importlib.util.spec_from_file_location(
        "timefair", os.path.join(PACKAGE, "__init__.py"), submodule_search_locations=[PACKAGE]
    )
    package = sys.modules["timefair"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    shadowing = importlib.import_module("timefair.basics.user_code")
    for folder in options["folders"]:
        shadowing.is_own(folder, shadowing.KEPT_THERE)
    sys.path[:0] = options["folders"]
    sys.meta_path.append(Compiled(options["compiled"]))
    environment = importlib.import_module("timefair.environments.environment")
    environment.begun_here(options)
    unchecked = importlib.import_module("timefair.environments.unchecked")
    with unchecked.sections():
        module = importlib.import_module(options["module"])
    module.main(*options["arguments"])


if __name__ == "__main__":
    if sys.version_info < OLDEST:
        sys.exit(TOO_OLD)
    main(json.loads(sys.argv[1]))
