"""How much work a task is, as far as specs and expression tell."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_backend.task import bytes_at_hand
from unshape_core.protocols import Node, supports_flops
from unshape_core.spec import Region, ValueSpec
from unshape_core.workload import WorkloadHint
from unshape_expr.kernel import Kernel
from unshape_expr.work import work_of


def estimate_work(
    node: Node,
    input_specs: Sequence[ValueSpec],
    output_specs: Sequence[ValueSpec],
    region: Region,
    kernel: Kernel | None,
) -> WorkloadHint:
    """Return elements, bytes and, for an expression or a node that tells, operations; what is unknown stays unknown.

    Parameters
    ----------
    node : Node
        The last one computed.
    input_specs, output_specs : sequence of ValueSpec
        Specs of whole values.
    region : Region
        The parts that are read and computed.
    kernel : Kernel or None
        The expression.
    """
    elements = sum([_elements(spec, region) for spec in output_specs])
    flops = None
    if kernel is not None:
        flops = work_of(kernel).flops * region.output.width_px * region.output.height_px
    elif supports_flops(node):
        flops = round(node.flops_per_element(input_specs, output_specs) * elements)
    return WorkloadHint(
        elements=elements,
        bytes_read=_total([bytes_at_hand(spec, at) for spec, at in zip(input_specs, region.inputs, strict=True)]),
        bytes_written=_total([bytes_at_hand(spec, region.output) for spec in output_specs]),
        flops=flops,
    )


def _elements(spec: ValueSpec, region: Region) -> int:
    """Return the elements that are computed; an output of unknown size counts as one, so that it is not nothing."""
    if spec.picture_px is None or spec.shape is None:
        elements = spec.elements
        return 1 if elements is None else elements
    channels = spec.shape[2] if len(spec.shape) == 3 else 1
    return region.output.width_px * region.output.height_px * channels


def _total(sizes: Sequence[int | None]) -> int | None:
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None
