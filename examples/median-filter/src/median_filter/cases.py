"""Cases: what every backend that runs the node is compared with the meaning on."""

from __future__ import annotations

from collections.abc import Iterator

from median_filter.node import Median
from unshape_backend.case import Case, Content, Picture
from unshape_core import Window


def cases() -> Iterator[Case]:
    for channels in (1, 3, 4):
        picture = Picture(width_px=29, height_px=17, channels=channels, content=Content.SIGNED)
        windows = (Window(0, 0, 1, 1), Window(7, 5, 11, 6), Window(20, 10, 9, 7))
        yield Case(name=f"Median/{channels}", node=Median(), inputs=(picture,), windows=windows)
