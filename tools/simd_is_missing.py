"""Check that "simd" was installed without its C library, and that opening it says why and what helps."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from unshape_backend.availability import UnavailableReason
from unshape_backend.errors import BackendUnavailableError
from unshape_simd_cffi.opening import open_backend


def main(arguments: Sequence[str] | None = None) -> int:
    """Open the backend; 0 if that is refused as not built, with a remedy."""
    argparse.ArgumentParser(prog="python tools/simd_is_missing.py", description=__doc__).parse_args(arguments)
    try:
        backend = open_backend()
    except BackendUnavailableError as error:
        print(error)
        return 0 if error.availability.reason is UnavailableReason.NOT_BUILT and error.availability.remedy else 1
    print(f"it opened, with '{backend.isa.name}'", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
