"""A campaign as a self-contained archive: a Workflow Run RO-Crate.

`campaign_files` lists the files of the campaign. `code` has the workflow at its commit, and the
user's own files. `compact` makes the runs small. `origins` reads from the records what was measured
when, and on which machine. `cards` writes the files that describe the archive for people and for
repositories, `metadata` the RO-Crate's own. `crate` puts them together. `manifest` has the
checksums, `packing` writes a folder or a zip, `inspection` checks one, and `rebuilding` makes its
tables again.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands")
