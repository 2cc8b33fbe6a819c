"""Reading pictures at positions, in WGSL: functions that follow ``unshape_expr.sampling`` operation by operation."""

from __future__ import annotations

from dataclasses import dataclass

from unshape_expr.ir import Border, Fetching, Filter, Sampling
from unshape_expr.types import Type
from unshape_gpu.parameters import typed_word


@dataclass(frozen=True, slots=True)
class PictureReader:
    """A function that reads one picture in one way.

    Parameters
    ----------
    number : int
        Of the picture among the bindings: ``input_2`` is the array of the third.
    word : int
        First of its words in the parameter block.
    channels : int
        Of the picture.
    how : Sampling or Fetching
        Filter and border.
    """

    number: int
    word: int
    channels: int
    how: Sampling | Fetching

    @property
    def name(self) -> str:
        """Name of the function."""
        what = "fetch" if isinstance(self.how, Fetching) else f"sample_{self.how.filter.value}"
        return f"{what}_{self.how.border.value}_{self.number}"

    @property
    def texel_name(self) -> str:
        """Name of the function that reads one texel with this border."""
        return f"texel_{self.how.border.value}_{self.number}"

    def texel_text(self) -> str:
        """Return the function that reads one texel at whole coordinates of the whole picture."""
        border = self.how.border
        lines = [f"fn {self.texel_name}(x: i32, y: i32) -> {self._type} {{"]
        if border is Border.ZERO:
            outside = f"x < 0i || y < 0i || x >= {self._i32(4)} || y >= {self._i32(5)}"
            lines += [f"    if ({outside}) {{", f"        return {self._type}();", "    }"]
            column, row = "x", "y"
        else:
            column, row = (f"k_place_{border.value}({axis}, {self._i32(4 + k)})" for k, axis in enumerate("xy"))
        lines += [
            f"    let column = k_held({column}, {self._i32(0)}, {self._i32(2)});",
            f"    let row = k_held({row}, {self._i32(1)}, {self._i32(3)});",
            f"    let index = u32(row * {self._i32(2)} + column);",
            f"    return {self._load('index')};",
            "}",
        ]
        return "\n".join(lines)

    def text(self) -> str:
        """Return the function itself; it calls the one of :meth:`texel_text`."""
        if isinstance(self.how, Fetching):
            return self._function("x: i32, y: i32", [f"return {self.texel_name}(x, y);"])
        if self.how.filter is Filter.NEAREST:
            column, row = (f"k_to_i32(floor(k_mul({uv}, f32({self._i32(4 + k)}))))" for k, uv in enumerate("uv"))
            return self._function("u: f32, v: f32", [f"return {self.texel_name}({column}, {row});"])
        lines = [*self._axis("x", "u", 4), *self._axis("y", "v", 5)]
        for corner in ("00", "01", "10", "11"):
            column = "column" if corner[0] == "0" else "column + 1i"
            row = "row" if corner[1] == "0" else "row + 1i"
            lines.append(f"let p{corner} = {self.texel_name}({column}, {row});")
        lines += [
            f"let left = {self._mixed('ty', 'p00', 'p01')};",
            f"let right = {self._mixed('ty', 'p10', 'p11')};",
            f"return {self._mixed('tx', 'left', 'right')};",
        ]
        return self._function("u: f32, v: f32", lines)

    def _axis(self, axis: str, position: str, size: int) -> list[str]:
        place = {"x": "column", "y": "row"}[axis]
        text = f"f32({self._i32(size)})"
        lines = [f"let raw_{axis} = k_sub(k_mul({position}, {text}), 0.5f);"]
        match self.how.border:
            case Border.CLAMP:
                lines.append(f"let p{axis} = k_clip(raw_{axis}, 0.0f, f32({self._i32(size)} - 1i));")
            case Border.ZERO:
                lines.append(f"let p{axis} = k_clip(raw_{axis}, -1.0f, {text});")
            case _:
                lines.append(f"let p{axis} = raw_{axis};")
        return [
            *lines,
            f"let base_{axis} = k_ex(floor(p{axis}));",
            f"let t{axis} = k_sub(k_ex(p{axis}), base_{axis});",
            f"let {place} = k_to_i32(base_{axis});",
        ]

    def _function(self, parameters: str, body: list[str]) -> str:
        empty = " || ".join(f"{self._i32(k)} <= 0i" for k in (2, 3, 4, 5))
        guard = [f"if ({empty}) {{", f"    return {self._type}();", "}"]
        lines = "\n".join(f"    {line}" for line in (*guard, *body))
        return f"fn {self.name}({parameters}) -> {self._type} {{\n{lines}\n}}"

    def _mixed(self, t: str, a: str, b: str) -> str:
        if self.channels == 1:
            return f"k_lerp({t}, {a}, {b})"
        parts = [f"k_lerp({t}, {a}.{c}, {b}.{c})" for c in "xyzw"[: self.channels]]
        return f"{self._type}({', '.join(parts)})"

    def _load(self, index: str) -> str:
        array = f"input_{self.number}"
        if self.channels == 3:
            return f"vec3<f32>({array}[{index} * 3u], {array}[{index} * 3u + 1u], {array}[{index} * 3u + 2u])"
        return f"{array}[{index}]"

    def _i32(self, offset: int) -> str:
        return typed_word(self.word + offset, Type.I32)

    @property
    def _type(self) -> str:
        return "f32" if self.channels == 1 else f"vec{self.channels}<f32>"
