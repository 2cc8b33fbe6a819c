"""Cases: what every backend that runs the node is compared with the meaning on."""

from __future__ import annotations

from collections.abc import Iterator

from maximum_filter.node import Maximum
from unshape_backend.case import Case, Content, Picture
from unshape_core import Window


def cases() -> Iterator[Case]:
    for channels in (1, 3, 4):
        for width_px in (1, 5, 16, 29):
            picture = Picture(width_px=width_px, height_px=17, channels=channels, content=Content.SIGNED)
            windows = (Window(0, 0, 1, 1), Window(width_px // 4, 5, width_px // 2 + 1, 6))
            name = f"Maximum/{width_px}/{channels}"
            yield Case(name=name, node=Maximum(), inputs=(picture,), windows=windows)
    special = Picture(width_px=29, height_px=17, channels=1, content=Content.SPECIAL)  # NaN, infinities, -0 ...
    yield Case(name="Maximum/special", node=Maximum(), inputs=(special,))
