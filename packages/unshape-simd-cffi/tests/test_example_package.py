"""The example of a package with its own C: it compiles against the headers and gives its meaning bit for bit."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unshape_core.cancellation import CancellationToken
from unshape_core.context import EvalContext
from unshape_core.errors import Cancelled
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.include import include_folder
from unshape_testing.laws.numbers import check_equals_definition, check_windows
from unshape_testing.tasks import make_job

EXAMPLE = Path(__file__).parents[3] / "examples" / "maximum-filter"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not EXAMPLE.is_dir():
        pytest.skip("the examples are not here")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    spec = importlib.util.spec_from_file_location("build_maximum", EXAMPLE / "build_maximum.py")
    assert spec is not None
    assert spec.loader is not None
    recipe: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipe)
    folder = tmp_path_factory.mktemp("maximum-filter")
    package = folder / "maximum_filter"
    shutil.copytree(EXAMPLE / "src" / "maximum_filter", package)
    recipe.ffi.emit_c_code(str(folder / "_maximum.c"))
    headers = [EXAMPLE / "csrc", include_folder(), Path(sysconfig.get_paths()["include"])]
    flags = ["-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", *(f"-I{path}" for path in headers)]
    sources = [str(folder / "_maximum.c"), str(EXAMPLE / "csrc" / "maximum.c")]
    library = package / f"_maximum{sysconfig.get_config_var('EXT_SUFFIX')}"
    warnings = ["-Wno-unused-parameter", "-Wno-missing-field-initializers", "-Wno-cast-function-type"]
    subprocess.run([compiler, *flags, *warnings, "-fPIC", "-shared", *sources, "-o", str(library)], check=True)
    return folder


@pytest.fixture
def example(built: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(built)
    yield importlib.import_module("maximum_filter.simd")
    for name in [name for name in sys.modules if name.partition(".")[0] == "maximum_filter"]:
        del sys.modules[name]


def test_the_kernel_gives_what_the_node_means(backend: SimdBackend, example: Any) -> None:
    (kernel,) = example.KERNELS
    backend.register_kernel(kernel)
    cases = list(importlib.import_module("maximum_filter.cases").cases())
    assert cases
    for case in cases:
        check_equals_definition(backend, case)
        check_windows(backend, case)


def test_the_kernel_stops_when_it_is_asked_to(backend: SimdBackend, example: Any) -> None:
    (kernel,) = example.KERNELS
    backend.register_kernel(kernel)
    token = CancellationToken()
    token.cancel()
    picture = np.ones((8, 8, 1), np.float32)
    node = importlib.import_module("maximum_filter.node").Maximum()
    job = make_job(node, (picture,), EvalContext(resolution=(8, 8), cancellation=token))
    with pytest.raises(Cancelled):
        backend.compile(job.task)(job.task.nodes, (picture,), job.ctx)
