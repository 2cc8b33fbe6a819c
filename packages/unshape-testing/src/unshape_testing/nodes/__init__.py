"""Small nodes of every kind that a backend can meet; they draw nothing that anybody would want to look at."""

from unshape_testing.nodes.box_mean import BoxMean
from unshape_testing.nodes.expression_node import ExpressionNode
from unshape_testing.nodes.flip import Flip
from unshape_testing.nodes.gain import Gain
from unshape_testing.nodes.mean import Mean
from unshape_testing.nodes.merge import Merge
from unshape_testing.nodes.positive import Positive
from unshape_testing.nodes.ramp import Ramp
from unshape_testing.nodes.scalar_mix import ScalarMix
from unshape_testing.nodes.scale64 import Scale64
from unshape_testing.nodes.split import Split
from unshape_testing.nodes.wobble import Wobble

__all__ = [
    "BoxMean",
    "ExpressionNode",
    "Flip",
    "Gain",
    "Mean",
    "Merge",
    "Positive",
    "Ramp",
    "ScalarMix",
    "Scale64",
    "Split",
    "Wobble",
]
