"""Backends: protocols, registry, selection, cost, planner and the reference backend."""
