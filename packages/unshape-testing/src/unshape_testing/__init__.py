"""Conformance suites and stand-in backends for testing nodes, kernels and backends."""
