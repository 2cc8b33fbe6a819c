"""A plan as an SVG picture, from left to right, with a legend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from unshape_backend.plan.picture import GIVEN_COLOUR, PlanPicture, StepBox, draw
from unshape_core.layout import Box, place_boxes
from unshape_core.svg import escaped

if TYPE_CHECKING:
    from unshape_backend.plan.plan import Plan

_LINE_PX = 16.0
_CHARACTER_PX = 7.2
_PADDING_PX = 10.0
_MARGIN_PX = 16.0
_LEGEND_PX = 28.0
_STYLE = (
    "<style>text{font:12px ui-monospace,monospace;fill:#111}.dim{fill:#555}.size{font-size:10px;fill:#555}"
    ".wire{fill:none;stroke:#444;stroke-width:1.5}</style>"
)


def plan_to_svg(plan: Plan) -> str:
    """Return a plan as an SVG picture."""
    picture = draw(plan)
    layers: list[list[int]] = [[] for _ in range(max((box.layer for box in picture.boxes), default=-1) + 1)]
    for box in picture.boxes:
        layers[box.layer].append(box.index)
    sizes = {box.index: _size_of(box) for box in picture.boxes}
    places = place_boxes(layers, sizes, gap_x_px=72.0, gap_y_px=20.0)
    width_px = max([box.x_px + box.width_px for box in places.values()], default=0.0) + 2 * _MARGIN_PX
    width_px = max(width_px, _legend_width(picture) + 2 * _MARGIN_PX)
    arc_px = _arc_px(picture, places)
    bottom_px = max([box.y_px + box.height_px for box in places.values()], default=0.0) + arc_px
    height_px = bottom_px + 2 * _MARGIN_PX + _LEGEND_PX
    size = f'width="{width_px:g}" height="{height_px:g}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width_px:g} {height_px:g}" role="img">',
        f"<title>plan of {len(picture.boxes)} steps</title>",
        _STYLE,
        f'<rect {size} fill="#fff"/>',
        f'<g transform="translate({_MARGIN_PX:g} {_MARGIN_PX:g})">',
        *_legend(picture),
        f'</g><g transform="translate({_MARGIN_PX:g} {_MARGIN_PX + _LEGEND_PX:g})">',
    ]
    for start, end, text in picture.lines:
        is_long = picture.boxes[end].layer > picture.boxes[start].layer + 1
        parts.append(_line(places[start], places[end], text, arc_px if is_long else 0.0))
    parts += [_box(box, places[box.index], picture) for box in picture.boxes]
    return "".join([*parts, "</g></svg>"])


def _size_of(box: StepBox) -> tuple[float, float]:
    longest = max(map(len, box.lines))
    return longest * _CHARACTER_PX + 2 * _PADDING_PX, len(box.lines) * _LINE_PX + _PADDING_PX


def _legend_entries(picture: PlanPicture) -> list[tuple[str, str]]:
    return [*picture.colours.items(), ("given", GIVEN_COLOUR)]


def _legend_width(picture: PlanPicture) -> float:
    return sum(28 + len(name) * _CHARACTER_PX for name, _ in _legend_entries(picture)) + 160


def _legend(picture: PlanPicture) -> list[str]:
    parts = []
    x_px = 0.0
    for name, colour in _legend_entries(picture):
        parts.append(f'<rect x="{x_px:g}" y="0" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{x_px + 18:g}" y="10.5">{escaped(name)}</text>')
        x_px += 28 + len(name) * _CHARACTER_PX
    parts.append(f'<rect x="{x_px:g}" y="0" width="20" height="12" rx="6" fill="#fff" stroke="#444"/>')
    parts.append(f'<text x="{x_px + 26:g}" y="10.5">transfer</text>')
    return parts


def _arc_px(picture: PlanPicture, places: Mapping[int, Box]) -> float:
    """Return how far below the boxes a line passes that leads past some of them."""
    is_any_long = any(picture.boxes[end].layer > picture.boxes[start].layer + 1 for start, end, _ in picture.lines)
    return max([box.height_px for box in places.values()], default=0.0) / 2 + 24.0 if is_any_long else 0.0


def _line(start: Box, end: Box, text: str, arc_px: float) -> str:
    x0, y0 = start.x_px + start.width_px, start.y_px + start.height_px / 2
    x1, y1 = end.x_px, end.y_px + end.height_px / 2
    bend = max((x1 - x0) / 2, 24.0) if arc_px == 0 else 48.0
    drop = arc_px * 4 / 3
    path = f"M{x0:g} {y0:g}C{x0 + bend:g} {y0 + drop:g} {x1 - bend:g} {y1 + drop:g} {x1:g} {y1:g}"
    label = f'<text class="size" x="{x0 + 6:g}" y="{y0 - 4:g}">{escaped(text)}</text>' if text else ""
    return f'<path class="wire" d="{path}"/>{label}'


def _box(box: StepBox, place: Box, picture: PlanPicture) -> str:
    colour = picture.colours.get(box.backend, GIVEN_COLOUR)
    position = f'x="{place.x_px:g}" y="{place.y_px:g}" height="{place.height_px:g}"'
    radius = place.height_px / 2 if box.is_transfer else 4
    parts = [
        f'<rect {position} width="{place.width_px:g}" rx="{radius:g}" fill="#fff" stroke="{colour}" stroke-width="2"/>'
    ]
    if not box.is_transfer:
        parts.append(f'<rect {position} width="5" fill="{colour}"/>')
    for number, text in enumerate(box.lines):
        y_px = place.y_px + _PADDING_PX / 2 + (number + 0.75) * _LINE_PX
        dim = ' class="dim"' if number == len(box.lines) - 1 else ""
        parts.append(f'<text{dim} x="{place.x_px + _PADDING_PX + 2:g}" y="{y_px:g}">{escaped(text)}</text>')
    return "".join(parts)
