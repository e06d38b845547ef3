"""What another restart policy would have done."""
