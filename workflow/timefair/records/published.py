"""Records of published data: runs that others have made, which count evaluations only.

They have the columns of every record. Known are the keys but the round, the optimum, evaluations,
the best value and precision, and the evaluations and precisions of events. All else is null: times,
seeds, budgets, and how the runs ended.
"""

from __future__ import annotations

PUBLISHED = "published"
"""The fact that such a record has, and no other: where its data are from."""
