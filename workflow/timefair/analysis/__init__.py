"""Makes the files of tables and figures from collected runs: one process per folder of exhibits."""
