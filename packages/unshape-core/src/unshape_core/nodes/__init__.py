"""The nodes that every graph may use: constants, the graph's own inputs and outputs, and the unit delay."""

from unshape_core.nodes.constant import Constant
from unshape_core.nodes.graph_input import GraphInput
from unshape_core.nodes.graph_output import GraphOutput
from unshape_core.nodes.latch import Latch

__all__ = ["Constant", "GraphInput", "GraphOutput", "Latch"]
