"""Measures recorded runs again, alone, and compares them with their records.

`chosen` reads a run from a record. `again` measures it. `likeness` compares the two runs. `origins`
lists what differs in code, software, parameters, seed and machine. `verdict` does all of it.
`sample` chooses runs of a campaign, and `reproduction` replays and judges them.
"""
