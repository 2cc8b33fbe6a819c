"""What the package exports is there, and is loaded only when it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import unshape_gpu


@pytest.mark.parametrize("name", unshape_gpu.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(unshape_gpu, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'GpuToaster'"):
        _ = unshape_gpu.GpuToaster


def output_of(code: str) -> tuple[str, str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.strip(), done.stderr.strip()


def test_importing_loads_neither_wgpu_nor_numpy() -> None:
    code = (
        "import sys, unshape_gpu; print([name for name in ('wgpu', 'numpy', 'unshape_backend') if name in sys.modules])"
    )
    assert output_of(code)[0] == "[]"


@pytest.mark.usefixtures("gpu")
def test_opening_without_a_desktop_says_nothing_and_leaves_the_environment_alone() -> None:
    code = (
        "import os\n"
        "for name in ('DISPLAY', 'WAYLAND_DISPLAY', 'XDG_RUNTIME_DIR', 'NODEVICE_SELECT'): os.environ.pop(name, None)\n"
        "before = dict(os.environ)\n"
        "from unshape_gpu import open_backend\n"
        "open_backend()[0].close()\n"
        "print(before == dict(os.environ))"
    )
    assert output_of(code) == ("True", "")
