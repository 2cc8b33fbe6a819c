"""Importing and opening the package do no more than they have to."""

from __future__ import annotations

import subprocess
import sys

import pytest


def output_of(code: str) -> tuple[str, str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.strip(), done.stderr.strip()


def test_importing_does_not_load_wgpu() -> None:
    assert output_of("import sys, unshape_gpu; print('wgpu' in sys.modules)")[0] == "False"


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
