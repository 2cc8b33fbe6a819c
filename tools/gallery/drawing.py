"""Sheets as PNG files: tiles in rows, each with its label, few colours, small files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tools.gallery.tiles import Picture, Sheet, picture_of

_GAP_PX, _LABEL_PX, _FONT_PX = 6, 17, 11
_PAPER, _INK = (255, 255, 255), (60, 60, 60)


def draw(sheet: Sheet, path: Path) -> None:
    """Compute the tiles of a sheet and write them as one picture."""
    width_px, height_px = sheet.size_px
    rows = -(-len(sheet.tiles) // sheet.columns)
    step_x, step_y = width_px + _GAP_PX, height_px + _LABEL_PX + _GAP_PX
    canvas = Image.new("RGB", (sheet.columns * step_x + _GAP_PX, rows * step_y + _GAP_PX), _PAPER)
    pen, font = ImageDraw.Draw(canvas), ImageFont.load_default(_FONT_PX)
    is_gray = True
    for index, tile in enumerate(sheet.tiles):
        picture = picture_of(tile, sheet.size_px)
        is_gray = is_gray and picture.shape[2] == 1
        row, column = divmod(index, sheet.columns)
        x, y = _GAP_PX + column * step_x, _GAP_PX + row * step_y
        image = _image(picture)
        canvas.paste(image, (x + (width_px - image.width) // 2, y + (height_px - image.height) // 2))
        # The font's space is 2 pixels wide at this size, in which words run together.
        label = tile.label.replace(" ", "  ")
        pen.text((x + width_px // 2, y + height_px + 2), label, fill=_INK, font=font, anchor="ma")
    if not is_gray and sheet.has_grain:
        # Where a photograph's grain hides the steps, 86 levels a channel look like 256 and take a third off the files.
        canvas = canvas.point(lambda code: round(code / 3) * 3)
    (canvas.convert("L") if is_gray else canvas).save(path, optimize=True)


def _image(picture: Picture) -> Image.Image:
    codes = np.round(np.nan_to_num(picture) * 255).astype(np.uint8)
    return Image.fromarray(codes[..., 0] if codes.shape[2] == 1 else codes).convert("RGB")
