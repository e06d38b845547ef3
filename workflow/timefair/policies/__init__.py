"""The policies that a campaign selects: when a launch ends, and when there are enough runs.

One module per policy; its class owns its keys, their checks and the behaviour. `scan` finds them.
"""
