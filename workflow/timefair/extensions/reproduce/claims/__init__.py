"""The claims of a campaign, and whether new runs with fresh seeds support them.

`stated` reads the claims from the tables: who is first, which pairs are decided, and ratios with
intervals. `again` plans the campaign that measures them again, `evidence` makes the tables of both
from their runs, and `judged` gives a verdict for each claim.
"""
