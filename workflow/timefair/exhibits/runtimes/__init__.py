"""Cost to targets: expected, with restarts, and the best of several executions."""
