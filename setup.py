"""Only what pyproject.toml cannot say: the compiled objective needs numpy's headers."""

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

objective = Extension(
    "timefair.measure.objective",
    ["workflow/timefair/measure/objective.pyx"],
    include_dirs=[numpy.get_include()],
    define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
)

setup(ext_modules=cythonize([objective], language_level=3))
