"""Whole graphs pass the laws on the reference and on the loopback."""

from __future__ import annotations

from unshape_testing.graph_suite import GraphSuite


class TestCpuGraphs(GraphSuite):
    backend_id = "cpu"
    with_companion = False


class TestLoopbackGraphs(GraphSuite):
    backend_id = "loopback"
