"""Filters along one axis, each in one fixed order of float32 operations that is the same in every window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unshape_image.held_picture import F32Array


@dataclass(frozen=True, slots=True, eq=False)
class SymmetricFilter:
    """A weighted sum whose weights are equal to both sides.

    The order: ``w[0]*x[0]``, then for each distance d from 1 outward ``+ w[d]*(x[-d] + x[d])``. Adding the two sides
    first takes three operations for two taps instead of four, on every kind of machine.

    Parameters
    ----------
    weights : float32[radius + 1]
        By distance.
    """

    weights: F32Array

    @property
    def radius(self) -> int:
        """How far the filter reaches to each side."""
        return len(self.weights) - 1

    @property
    def rows_at_once(self) -> int:
        """Any number of rows will do."""
        return 1

    def scratch_floats(self, source_floats: int, out_floats: int) -> int:  # noqa: ARG002 - the protocol's signature
        """Return the floats of one product."""
        return out_floats

    def apply(self, source: F32Array, out: F32Array, scratch: F32Array, *, axis: int, step: int) -> None:
        """Write the filtered array to ``out``."""
        product = scratch[: out.size].reshape(out.shape)
        count, centre = out.shape[axis], self.radius * step
        np.multiply(_shifted(source, centre, count, axis), self.weights[0], out)
        for distance in range(1, len(self.weights)):
            before = _shifted(source, centre - distance * step, count, axis)
            np.add(before, _shifted(source, centre + distance * step, count, axis), product)
            np.multiply(product, self.weights[distance], product)
            np.add(out, product, out)


@dataclass(frozen=True, slots=True)
class BoxFilter:
    """The mean of ``2*radius + 1`` neighbours, in a number of operations that grows with the logarithm of the radius.

    The order: with ``s[0] = x`` and ``s[k+1][i] = s[k][i] + s[k][i + 2**k]``, ``s[k][i]`` is the sum of ``2**k`` values
    from i. From the leftmost neighbour on, the sums whose sizes are the binary digits of ``2*radius + 1`` follow each
    other, smallest first, and are added in that order; the result is multiplied by ``float32(1/(2*radius + 1))``.
    Unlike a running sum this tree is the same for a pixel in whatever window it is computed, and its error stays small.
    """

    radius: int

    @property
    def rows_at_once(self) -> int:
        """The partial sums of one pixel serve its neighbours, so tiles are tall."""
        return 4 * self.radius

    def scratch_floats(self, source_floats: int, out_floats: int) -> int:  # noqa: ARG002 - the protocol's signature
        """Return the floats of two generations of partial sums."""
        return 2 * source_floats

    def apply(self, source: F32Array, out: F32Array, scratch: F32Array, *, axis: int, step: int) -> None:
        """Write the filtered array to ``out``."""
        size = 2 * self.radius + 1
        count = out.shape[axis]
        spare = [
            scratch[: source.size].reshape(source.shape),
            scratch[source.size : 2 * source.size].reshape(source.shape),
        ]
        sums = source
        np.copyto(out, _shifted(source, 0, count, axis))
        done, block = 1, 1
        while done < size:
            length = sums.shape[axis] - block * step
            doubled = _shifted(spare[0], 0, length, axis)
            np.add(_shifted(sums, 0, length, axis), _shifted(sums, block * step, length, axis), doubled)
            sums, block = doubled, 2 * block
            spare.reverse()
            if size & block:
                np.add(out, _shifted(sums, done * step, count, axis), out)
                done += block
        np.multiply(out, np.float32(1.0 / size), out)


def _shifted(array: F32Array, first: int, count: int, axis: int) -> F32Array:
    return array[first : first + count] if axis == 0 else array[:, first : first + count]
