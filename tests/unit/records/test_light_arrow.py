"""A process that writes records does not import pandas."""

import subprocess
import sys

SCRIPT = """
import sys
import pyarrow as pa
from timefair.records.store import avoid_pandas
avoid_pandas()
pa.RecordBatch.from_pylist([{"a": [{"b": 1.0}]}])
assert "pandas" not in sys.modules
frame = pa.table({"a": [1, 2]}).to_pandas()
assert frame["a"].tolist() == [1, 2]
import pandas
avoid_pandas()
assert pa.array(pandas.Series([1.0, None]), from_pandas=True).null_count == 1
"""


def test_lists_are_converted_without_pandas_which_works_when_it_is_wanted():
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)
