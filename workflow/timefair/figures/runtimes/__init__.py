"""Cost to targets."""
