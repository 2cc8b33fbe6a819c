"""Values, ports, nodes, graphs and the lazy evaluator."""
