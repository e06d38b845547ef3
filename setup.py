"""Only what pyproject.toml cannot say: what is compiled, and that it needs numpy's headers."""

from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

SOURCES = Path("workflow")

extensions = [
    Extension(
        ".".join(path.relative_to(SOURCES).with_suffix("").parts),
        [str(path)],
        include_dirs=[numpy.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
    )
    for path in sorted(SOURCES.rglob("*.pyx"))
]

setup(ext_modules=cythonize(extensions, language_level=3))
