"""Typed expressions: one intermediate form for every backend."""
