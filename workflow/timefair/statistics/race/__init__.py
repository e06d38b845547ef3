"""The race of a whole campaign: who gets the next runs, by the mean A12 over functions."""
