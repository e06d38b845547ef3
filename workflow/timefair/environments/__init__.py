"""Separate interpreters of algorithms: starts them, checks them, and requests their facts.

An algorithm may name an interpreter (``python``), a folder that comes first on ``sys.path``
(``path``), or both. `environment` starts that interpreter and sends it a question. `bootstrap` is
the script that it runs. The script makes this package importable there, but no other package of the
interpreter that runs the workflow. `answers` defines the answers. `unchecked` replaces pydantic
there. `compiled` builds timefair's extension modules for another version of Python.
"""
