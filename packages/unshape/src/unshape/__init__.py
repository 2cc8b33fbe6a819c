"""Graphs of typed nodes, each run on the best backend that is installed."""
