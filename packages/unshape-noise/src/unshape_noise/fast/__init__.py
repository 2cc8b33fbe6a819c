"""NumPy implementations of the definitions, with the same bits."""
