"""Backend "simd" of unshape: C kernels for every instruction set of the machine."""
