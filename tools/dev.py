"""Set up everything on a fresh machine, then draw the example picture or run all tests.

``python3 -m tools.dev picture`` installs unshape and renders a graph; ``python3 -m tools.dev test`` installs
the development environment and runs every check. Both need Python 3.11 or later and nothing else: uv is
taken if a fitting one is there or put into ``.uv/``, the locked environment goes into ``.venv/``, and the
Debian packages that members declare are installed when they are missing.

Uses the standard library only, and is read by older Pythons up to the sentence that refuses them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)


def main(arguments: list[str] | None = None) -> int:
    """Run a verb; the exit code of what failed first, or 0."""
    if sys.version_info < OLDEST:
        return _rerun_with_newer_python(sys.argv[1:] if arguments is None else arguments)
    from tools.bootstrap import SetupError

    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except SetupError as error:
        print(f"dev: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m tools.dev", description=(__doc__ or "").split("\n\n")[0])
    verbs = parser.add_subparsers(metavar="VERB", required=True)

    setup = verbs.add_parser("setup", help="create .venv with the whole development environment")
    setup.set_defaults(run=_setup)

    picture = verbs.add_parser("picture", help="install unshape and render a graph to a picture")
    picture.add_argument("graph", nargs="?", default="examples/island.json", help="default: %(default)s")
    picture.add_argument("-o", "--out", help="default: the graph's name with .png")
    picture.add_argument("--extra", action="append", metavar="NAME", help="an extra of unshape; default: cli")
    picture.set_defaults(run=_picture)

    test = verbs.add_parser("test", help="run ruff, mypy, import-linter, nox and pytest; the first that fails ends it")
    test.add_argument("pytest", nargs="*", metavar="PYTEST_ARGUMENT", help="after --, for pytest, e.g. -- -k noise")
    test.set_defaults(run=_test)
    return parser


def _setup(_options: argparse.Namespace) -> int:
    from tools import bootstrap
    from tools.members import find_members

    bootstrap.require_debian_packages(find_members())
    bootstrap.sync("--all-packages", "--all-groups", "--all-extras")
    return 0


def _picture(options: argparse.Namespace) -> int:
    from tools import bootstrap
    from tools.members import FACADE

    out = options.out or str(Path(options.graph).with_suffix(".png").name)
    extras = [f"--extra={name}" for name in options.extra or ["cli"]]
    bootstrap.sync("--inexact", "--no-default-groups", f"--package={FACADE}", *extras)
    code = bootstrap.run(str(bootstrap.ENVIRONMENT / "bin" / FACADE), "render", options.graph, "-o", out)
    if code == 0:
        print(f"the picture is in {out}")
    return code


def _test(options: argparse.Namespace) -> int:
    from tools import bootstrap

    _setup(options)
    python = str(bootstrap.ENVIRONMENT / "bin" / "python")
    this_python = "{}.{}".format(*sys.version_info[:2])
    checks = {
        "ruff check": ("-m", "ruff", "check"),
        "ruff format": ("-m", "ruff", "format", "--check"),
        "mypy": ("-m", "tools.check_types"),
        "import-linter": ("-m", "tools.check_arrows"),
        "file sizes": ("-m", "tools.check_file_size"),
        "each package alone": ("-m", "nox", "--session", "alone", "--", "--collect-only", "--quiet"),
        "built wheels": ("-m", "nox", "--session", f"wheels-{this_python}"),
        "combinations of backends": ("-m", "nox", "--session", "backends"),
        "kernels under oclgrind": ("-m", "nox", "--session", "oclgrind", "--", "--every", "20"),
        "pytest": ("-m", "pytest", "-n", "auto", "--dist", "worksteal", *options.pytest),
    }
    os.environ.setdefault("UNSHAPE_REQUIRE", "all")  # a backend that does not open is a failure here, not a skip
    took: list[str] = []
    for name, command in checks.items():
        if name == "pytest":
            print(f"== before pytest: {', '.join(took)}", flush=True)
        print(f"== {name}", flush=True)
        start_ns = time.perf_counter_ns()
        code = bootstrap.run(python, *command)
        took.append(f"{name} {(time.perf_counter_ns() - start_ns) / 1e9:.0f} s")
        if code != 0:
            print(f"== {name} failed", file=sys.stderr, flush=True)
            return code
    return 0


def _rerun_with_newer_python(arguments: list[str]) -> int:
    """Hand over to a newer Python of this machine, or say in one sentence that there is none."""
    for minor in range(OLDEST[1] + 4, OLDEST[1] - 1, -1):
        python = shutil.which(f"python3.{minor}")
        if python is not None and subprocess.call([python, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            return subprocess.call([python, "-m", "tools.dev", *arguments], cwd=str(ROOT), env=dict(os.environ))
    have = "{}.{}".format(*sys.version_info[:2])
    need = "{}.{}".format(*OLDEST)
    sys.stderr.write(
        f"dev: unshape needs Python {need} or later and this is {have}; install one (apt-get install python{need}) "
        "and run the command again\n"
    )
    return 2


if __name__ == "__main__":
    sys.exit(main())
