"""The page of a study: what is computed from its archive, and how it becomes text.

`tables` makes the tables of timefair from an archive. `numbers` and `blocks` take from them what
the page quotes, `pictures` draws its figures, `results` keeps all of it, and `page` puts it into
the prose. `words` writes numbers.
"""
