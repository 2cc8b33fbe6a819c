"""From a kernel to a flat program: calls are replaced by definitions, vectors get explicit widths.

A function that is kept, because it can be computed as a whole, stays a call where its arguments vary between pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from unshape_expr.functions import Function
from unshape_expr.interpret.flat import FlatBuilder, FlatLoop, FlatOp, FlatProgram, FlatValue
from unshape_expr.kernel import Instruction, Kernel, Varies
from unshape_expr.ops import Op
from unshape_expr.types import Type

_LEAF_VARIES = {Op.PIXEL_X: Varies.X, Op.PIXEL_Y: Varies.Y, Op.INPUT: Varies.BOTH}


def has_numpy(function: Function) -> bool:
    """Return whether NumPy computes a function as a whole."""
    return function.numpy is not None


def flatten(kernel: Kernel, *, keep: Callable[[Function], bool] = has_numpy) -> FlatProgram:
    """Return a kernel with the calls replaced that are not kept; loops stay loops.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    keep : callable
        Which functions stay calls.
    """
    builder = FlatBuilder()
    numbers: dict[int, int] = {}
    _Flattener(builder, keep).write(kernel.body, numbers, width=1)
    outputs = tuple(numbers[o] for o in kernel.outputs)
    return FlatProgram(builder.close_block(), tuple(builder.values), outputs)


class _Flattener:
    """Writes the instructions of a kernel or function into a builder.

    ``width`` is that of the vectors to which a function of scalars is applied component by component, else 1.
    """

    def __init__(self, builder: FlatBuilder, keep: Callable[[Function], bool]) -> None:
        self._builder = builder
        self._keep = keep

    def write(self, body: Sequence[Instruction], numbers: dict[int, int], *, width: int) -> None:
        for instruction in body:
            match instruction.op:
                case Op.LOOP:
                    self._loop(instruction, numbers, width=width)
                case Op.CALL:
                    numbers[instruction.result] = self._call(instruction, numbers)
                case _:
                    numbers[instruction.result] = self._plain(instruction, [numbers[a] for a in instruction.args])

    def _plain(self, instruction: Instruction, args: list[int]) -> int:
        builder, values = self._builder, self._builder.values
        kind = instruction.type.scalar
        components = instruction.type.components
        match instruction.op:
            case Op.SPLAT:
                return args[0]
            case Op.VEC:
                return args[0] if len(set(args)) == 1 else builder.emit(Op.VEC, kind, args, width=components)
            case Op.COMPONENT:
                if values[args[0]].width == 1:
                    return args[0]
                return builder.emit(Op.COMPONENT, kind, args, attr=instruction.attr, width=1)
            case Op.INPUT | Op.SCALAR_INPUT | Op.UNIFORM | Op.SAMPLE | Op.FETCH:
                width: int | None = components
            case _:
                width = None
        return builder.emit(
            instruction.op,
            kind,
            args,
            attr=instruction.attr,
            slot=instruction.slot,
            width=width,
            varies=_LEAF_VARIES.get(instruction.op, Varies.NONE),
        )

    def _call(self, instruction: Instruction, numbers: Mapping[int, int]) -> int:
        function = instruction.attr
        assert isinstance(function, Function)
        args = [numbers[a] for a in instruction.args]
        values = self._builder.values
        is_uniform = all(values[a].varies is Varies.NONE for a in args)
        if not is_uniform and self._keep(function):
            width = None if function.is_componentwise else instruction.type.components
            return self._builder.emit(Op.CALL, instruction.type.scalar, args, attr=function, width=width)
        kernel = function.kernel
        inside = dict(zip(kernel.parameters, args, strict=True))
        width = max([values[a].width for a in args], default=1) if function.is_componentwise else 1
        self.write(kernel.body, inside, width=width)
        return inside[kernel.result]

    def _loop(self, instruction: Instruction, numbers: dict[int, int], *, width: int) -> None:
        loop = instruction.loop
        assert loop is not None
        count, *starts = [numbers[a] for a in instruction.args]
        builder = self._builder
        widths = [max(t.components, width) for t in loop.state_types]
        varies = [builder.values[s].varies for s in starts]
        while True:
            inside = dict(numbers)
            inside[loop.index] = builder.new_value(FlatValue(Type.I32, 1, Varies.NONE))
            states = tuple(
                builder.new_value(FlatValue(t.scalar, w, v))
                for t, w, v in zip(loop.state_types, widths, varies, strict=True)
            )
            inside.update(zip(loop.states, states, strict=True))
            builder.open_block()
            self.write(loop.body, inside, width=width)
            next_states = tuple(inside[n] for n in loop.next_states)
            body = builder.close_block()
            # A state varies as its start or its successor does; the sets only grow, so this ends.
            found = [v | builder.values[n].varies for v, n in zip(varies, next_states, strict=True)]
            if found == varies:
                break
            varies = found
        results = tuple(builder.new_value(builder.values[s]) for s in states)
        inside_loop = FlatLoop(loop.max_count, inside[loop.index], states, body, next_states, results)
        builder.append(FlatOp(Op.LOOP, -1, (count, *starts), loop=inside_loop))
        numbers.update(zip(loop.results, results, strict=True))
