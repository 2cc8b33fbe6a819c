"""Where the headers are for C kernels of other packages: the vector vocabulary, written once for every instruction set.

A kernel file includes ``vec.h``, is written over its types and functions, and ends with ``vec_undef.h``; a second file
names it as ``ISA_FILE`` and includes ``foreach_isa.h``, which compiles it once for each instruction set. At run time
the kernel is called with ``backend.isa.number`` (see :class:`~unshape_simd_cffi.run_kernel.SimdKernel`).
``examples/maximum-filter`` is a whole package of this sort.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from pathlib import Path


def include_folder() -> Path:
    """Return the folder of the headers: that of the installed library, else of the sources.

    Raises
    ------
    FileNotFoundError
        If the package was installed without its library.
    """
    sources = Path(__file__).parents[2] / "csrc"
    folders = [sources]
    with suppress(ImportError):
        folders.insert(0, Path(str(import_module("unshape_simd_cffi._native").__file__)).parent / "include")
    for folder in folders:
        if (folder / "vec.h").is_file():
            return folder
    msg = f"headers of unshape-simd-cffi: expected vec.h in {folders[0]}; install the package with a C compiler at hand"
    raise FileNotFoundError(msg)
