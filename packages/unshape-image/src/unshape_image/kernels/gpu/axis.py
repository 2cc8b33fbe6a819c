"""Separable filters: a pass along rows, a float32 array between, a pass along columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_core.protocols import GraphValue
from unshape_expr.ir import Border
from unshape_image.kernels.gpu.device import Device, Held, groups_of, shape_of, source_of


def filter_separable(
    device: Device,
    source: GraphValue,
    held: Held,
    *,
    shader: str,
    radius: int,
    border: Border,
    tables: Sequence[GraphValue] = (),
    words: Sequence[int | float] = (),
) -> GraphValue:
    """Return a filtered window.

    Parameters
    ----------
    device : Device
        Runs the shader.
    source : GraphValue
        What is at hand.
    held : Held
        Where it lies.
    shader : str
        Name of the shader of one pass. Its arrays are the source, ``tables``, the places and the result; its words the
        radius, elements of a row, rows, whether it goes across, elements of a texel, elements of a row of the source,
        the first row that is read, and ``words``.
    radius : int
        How far it reaches to each side.
    border : Border
        What lies outside.
    tables, words : sequence
        See ``shader``.
    """
    output, channels, step = held.output, held.channels, held.step
    text = source_of(shader, channels=channels)
    row = output.width_px * step
    columns = held.columns(output.x_px - radius, output.right_px + radius, border)
    lines = held.rows(output.y_px - radius, output.bottom_px + radius, border)
    # Every row at hand that some output needs, once: borders repeat rows, and what is at hand may be more.
    used = lines[lines >= 0]
    first, stop = (int(used.min()), int(used.max()) + 1) if used.size else (0, 1)
    between = device.empty((stop - first, output.width_px, channels))
    device.run(
        text,
        reads=(source, *tables, device.table(columns)),
        writes=(between,),
        words=(radius, row, stop - first, 1, step, held.window.width_px * step, first, *words),
        groups=groups_of(row, stop - first),
    )
    result = device.empty(shape_of(output, channels))
    moved = np.where(lines < 0, -1, lines - first).astype(np.int32)
    device.run(
        text,
        reads=(between, *tables, device.table(moved)),
        writes=(result,),
        words=(radius, row, output.height_px, 0, step, row, 0, *words),
        groups=groups_of(row, output.height_px),
    )
    return result
