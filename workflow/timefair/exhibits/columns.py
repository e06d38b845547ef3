"""Columns that several tables share, each with one meaning."""

from __future__ import annotations

from timefair.exhibits.exhibit import Column

SUITE = Column("suite", "suite of the problem", text=True)
DIMENSION = Column("dimension", "dimension of the search space")
FUNCTION = Column("function", "number of the function")
INSTANCE = Column("instance", "number of the instance")
ALGORITHM = Column("algorithm", "label of the algorithm", text=True)
FUNCTION_OR_ALL = Column(
    "function", "number of the function as text, or `all` for all functions together"
)
DIMENSION_OR_ALL = Column(
    "dimension", "dimension of the search space as text, or `all` for all dimensions together"
)

SPACE = (SUITE, DIMENSION)
PROBLEM = (SUITE, DIMENSION, FUNCTION)
CELL = (*PROBLEM, ALGORITHM)
CELL_OR_ALL = (SUITE, DIMENSION, FUNCTION_OR_ALL, ALGORITHM)
INSTANCE_CELL = (*PROBLEM, INSTANCE, ALGORITHM)

PAIR = (
    Column("algorithm_a", "label of the first algorithm", text=True),
    Column("algorithm_b", "label of the second algorithm", text=True),
)

RUNS = Column("runs", "number of runs")
SUCCESSES = Column("successes", "number of runs that reached the target")
SUCCESS_RATE = Column("success_rate", "`successes` divided by `runs`")
TARGET = Column("target", "precision to reach", "precision", exact=True)
UNIT = Column("unit", "unit of the costs: `seconds` or `evaluations`", text=True)
COST = Column("cost", "cost since the start of the run", "`unit`")
EXECUTIONS = Column("executions", "number of executions, each with the complete budget")
QUANTILE = Column("quantile", "probability of the quantile; 0.5 is the median")
MEASURE = Column(
    "measure", "what the row states: `mean`, or a quantile such as `Q.10` or `Q.50`", text=True
)
SECONDS = "s of the campaign's clock"  # the unit of seconds that follow ``statistics.time``
