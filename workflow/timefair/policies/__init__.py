"""The policies that a campaign selects: when a launch ends, and when there are enough runs.

`restarts` has one module per restart policy and `stopping` one per stopping rule. The class in a
module owns the keys that the campaign file may give, their checks and the behaviour. `scan` finds
the modules, so that no list names them.
"""
