"""Checks of what nodes of Worley noise have beside octaves."""

from __future__ import annotations

from typing import Protocol

from unshape_core.parameter_checks import check_choice, check_number
from unshape_noise.worley import CellFeature, Metric


class CellParameters(Protocol):
    """The parameters of every node of Worley noise."""

    @property
    def type_name(self) -> str:
        """The node's type."""

    @property
    def feature(self) -> CellFeature:
        """Which distance."""

    @property
    def metric(self) -> Metric:
        """How distance is measured."""

    @property
    def jitter(self) -> float:
        """How irregular cells are."""


def check_cells(node: CellParameters) -> None:
    """Check the parameters that only nodes of Worley noise have.

    Raises
    ------
    InvalidArgumentError
        If one is outside its range.
    """
    check_choice(node, node.type_name, "feature", CellFeature)
    check_choice(node, node.type_name, "metric", Metric)
    check_number(node.type_name, "jitter", node.jitter, low=0.0, high=1.0)
