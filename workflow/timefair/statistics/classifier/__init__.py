"""The trained rule for numbers of runs: features, calibration, and how reliable a rule is."""
