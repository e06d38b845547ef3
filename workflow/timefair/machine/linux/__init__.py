"""Functions of the Linux kernel for measurements and for prepared processes."""
