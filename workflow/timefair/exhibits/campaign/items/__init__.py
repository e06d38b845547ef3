"""The items of the checklist of *time-fair*, section 4, one module each.

Each has a function ``parts(runs, analysis)``: what its item asks for, one `Part` after the other.
"""
