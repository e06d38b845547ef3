"""Power of a design before it is measured, and the design that is needed for a power."""
