"""What is generated is current, and every function that is an instruction is found by its definition."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from unshape_expr.math_functions import MATH_FUNCTIONS
from unshape_simd_cffi import native

WRITER = Path(__file__).parents[1] / "tools" / "write_functions.py"


def test_generated_c_is_current() -> None:
    done = subprocess.run([sys.executable, str(WRITER), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("function", MATH_FUNCTIONS, ids=lambda function: function.name)
def test_mathematical_functions_are_single_instructions(function: object) -> None:
    assert function.kernel.key in native.instructions().functions  # type: ignore[attr-defined]
