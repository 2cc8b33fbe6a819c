"""Nodes of no particular domain: arithmetic on scalars, vectors and arrays, and transfers."""
