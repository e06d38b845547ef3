"""Statistics of ERTs as lines in the cost of an evaluation."""
