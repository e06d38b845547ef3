"""From collected runs to the files of tables and figures: one process per room of exhibits."""
