"""What other restart policies would have cost, from the launches that were measured."""
