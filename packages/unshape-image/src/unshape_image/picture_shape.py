"""Size and channels of whole pictures."""

from __future__ import annotations

from dataclasses import dataclass

from unshape_core.errors import InvalidArgumentError
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.window import Window


@dataclass(frozen=True, slots=True)
class PictureShape:
    """Size and channels of a whole picture."""

    width_px: int
    height_px: int
    channels: int

    @property
    def spec(self) -> ValueSpec:
        """The shape as the spec of a texture."""
        return ValueSpec(TEXTURE, (self.height_px, self.width_px, self.channels))

    @property
    def whole(self) -> Window:
        """The window that covers the picture."""
        return Window.whole(width_px=self.width_px, height_px=self.height_px)

    @property
    def is_empty(self) -> bool:
        """Whether the picture has no pixel."""
        return self.width_px == 0 or self.height_px == 0


def picture_shape(spec: ValueSpec, *, type_name: str, port: str) -> PictureShape:
    """Return the shape of a picture input.

    Raises
    ------
    InvalidArgumentError
        If it is not known, or not that of a picture of 1 to 4 channels.
    """
    if spec.shape is None or len(spec.shape) != 3 or not 1 <= spec.shape[2] <= 4:
        got = "an unknown shape" if spec.shape is None else f"shape {list(spec.shape)}"
        msg = f"{type_name}: input {port!r}: expected a picture [height, width, channel] of 1 to 4 channels, got {got}"
        raise InvalidArgumentError(msg, type_name=type_name)
    height, width, channels = spec.shape
    return PictureShape(width_px=width, height_px=height, channels=channels)
