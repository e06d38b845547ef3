"""The items of the checklist of *time-fair*, section 4, one module each.

Each module has a function ``parts(runs, analysis)``, which yields the parts of its item.
"""
