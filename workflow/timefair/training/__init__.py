"""The classifier of the stopping rule `classifier`, trained from recorded campaigns."""
