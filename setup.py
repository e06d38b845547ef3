"""Only what pyproject.toml cannot say: what is compiled, and which folders the wheel brings."""

import os
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

SOURCES = Path("workflow")
CORES = os.cpu_count() or 1
SHIPPED = ("workflow/Snakefile", "workflow/rules", "config", "envs", "profiles")
"""What an installation has besides the package, for `timefair.campaign.scaffold`."""


def shipped() -> list[tuple[str, list[str]]]:
    """Each folder of it in the installation, with its files."""
    found: dict[Path, list[str]] = {}
    for start in map(Path, SHIPPED):
        for path in [start] if start.is_file() else sorted(start.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found.setdefault(path.parent, []).append(str(path))
    return [(f"share/timefair/{folder}", files) for folder, files in found.items()]


extensions = [
    Extension(
        ".".join(path.relative_to(SOURCES).with_suffix("").parts),
        [str(path)],
        include_dirs=[numpy.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
    )
    for path in sorted(SOURCES.rglob("*.pyx"))
]

setup(
    ext_modules=cythonize(
        extensions, language_level=3, include_path=[str(SOURCES)], nthreads=CORES
    ),
    data_files=shipped(),
    options={"build_ext": {"parallel": CORES}},
)
