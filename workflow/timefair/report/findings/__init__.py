"""What the tables say, in sentences that claim no more than the statistics allow."""
