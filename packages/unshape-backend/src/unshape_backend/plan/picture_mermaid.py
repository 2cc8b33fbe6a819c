"""A plan as a Mermaid flowchart, from left to right; boxes are framed in the colours of their backends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unshape_backend.plan.picture import GIVEN_COLOUR, draw

if TYPE_CHECKING:
    from unshape_backend.plan.plan import Plan

_NAMES = {'"': "#quot;", "#": "#35;", "&": "#amp;", ";": "#59;", "<": "#lt;", ">": "#gt;", "\\": "#92;", "`": "#96;"}


def plan_to_mermaid(plan: Plan) -> str:
    """Return a plan as a Mermaid flowchart."""
    picture = draw(plan)
    classes = {name: f"b{number}" for number, name in enumerate(picture.colours)}
    rows = ["flowchart LR"]
    for name, colour in picture.colours.items():
        rows.append(f"    classDef {classes[name]} fill:#fff,stroke:{colour},stroke-width:3px,color:#111")
    rows.append(f"    classDef given fill:#fff,stroke:{GIVEN_COLOUR},stroke-width:3px,color:#111")
    for box in picture.boxes:
        text = "<br/>".join(_text(line) for line in box.lines)
        left, right = ('(["', '"])') if box.is_transfer else ('["', '"]')
        rows.append(f"    s{box.index}{left}{text}{right}:::{classes.get(box.backend, 'given')}")
    for start, end, size in picture.lines:
        arrow = f'-->|"{_text(size)}"|' if size else "-->"
        rows.append(f"    s{start} {arrow} s{end}")
    rows.append("    subgraph legend")
    rows += [f'        l{classes[name]}["{_text(name)}"]:::{classes[name]}' for name in picture.colours]
    rows += ['        lgiven["given"]:::given', "    end"]
    return "\n".join(rows)


def _text(text: str) -> str:
    """Return a text in which nothing means anything to Mermaid or HTML."""
    return "".join(_NAMES.get(c, c) if c.isprintable() else " " for c in text)
