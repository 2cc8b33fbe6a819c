"""What a fresh machine needs before the first locked environment exists: uv, and Debian packages.

Standard library only. Every step looks before it acts, so running it again costs nothing; what it cannot do
itself it says in one sentence with the command that does it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tools.members import ROOT, Member

ENVIRONMENT = ROOT / ".venv"
UV_ENVIRONMENT = ROOT / ".uv"
UV_REQUIREMENT = "uv>=0.9,<1"


class SetupError(Exception):
    """Something is missing that only the user can provide; the message names the remedy."""


def sync(*arguments: str) -> None:
    """Bring ``.venv`` to the locked state that the arguments of ``uv sync`` describe.

    Parameters
    ----------
    *arguments : str
        What to install, e.g. ``"--package=unshape"``.

    Raises
    ------
    SetupError
        If uv cannot be had or fails.
    """
    uv = find_or_install_uv()
    command = [str(uv), "sync", "--locked", f"--python={sys.executable}", *arguments]
    variables = {"UV_PROJECT_ENVIRONMENT": str(ENVIRONMENT), "VIRTUAL_ENV": ""}
    if run(*command, variables=variables) != 0:
        message = f"the locked environment could not be installed; see above, then: {shlex.join(command)}"
        raise SetupError(message)
    os.environ["PATH"] = os.pathsep.join([str(uv.parent), os.environ.get("PATH", "")])


def run(*command: str, variables: Mapping[str, str] | None = None) -> int:
    """Run a command in the root of the workspace and return its exit code."""
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **(variables or {})}, check=False).returncode


def find_or_install_uv() -> Path:
    """Return a uv of the supported range, installing one into ``.uv/`` if there is none.

    Raises
    ------
    SetupError
        If there is neither a uv nor a pip to install it with.
    """
    private = UV_ENVIRONMENT / "bin" / "uv"
    for candidate in (shutil.which("uv"), private):
        if candidate is not None and is_supported_uv(Path(candidate)):
            return Path(candidate)
    print(f"installing {UV_REQUIREMENT} into {UV_ENVIRONMENT.name}/", flush=True)
    failures: list[str] = []
    for attempt in (_install_uv_in_venv, _install_uv_with_pip, _install_venv_then_uv):
        failure = attempt()
        if failure is None and is_supported_uv(private):
            return private
        failures.append(failure or f"{private} does not run")
    print("\n".join(failures), file=sys.stderr)
    version = "{}.{}".format(*sys.version_info[:2])
    message = (
        f"uv is missing and this Python has neither venv nor pip to install it; run: "
        f"sudo apt-get install python{version}-venv, then this command again"
    )
    raise SetupError(message)


def require_debian_packages(members: Iterable[Member]) -> None:
    """Install the Debian packages that members declare and this machine lacks.

    A member declares them in its ``pyproject.toml``::

        [tool.unshape]
        debian-packages = ["mesa-vulkan-drivers"]

    On a system without dpkg nothing is done: the member says itself what it misses when it is used.

    Raises
    ------
    SetupError
        If packages are missing and cannot be installed from here.
    """
    wanted = sorted({name for member in members for name in member.debian_packages})
    missing = missing_debian_packages(wanted)
    failure = _apt_install(missing) if missing else None
    if failure is not None:
        remedy = f"sudo apt-get install --no-install-recommends {' '.join(missing)}"
        message = f"Debian packages are missing ({failure}); run: {remedy}"
        raise SetupError(message)


def missing_debian_packages(names: Sequence[str]) -> list[str]:
    """Return those of the named packages that dpkg does not list as installed."""
    if not names or shutil.which("dpkg-query") is None:
        return []
    query = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\\n", *names]
    answer = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    installed = {line.split()[0] for line in answer.splitlines() if line.endswith(" installed")}
    return [name for name in names if name not in installed]


def is_supported_uv(uv: Path) -> bool:
    """Tell whether a program is a uv that runs here and is of the supported range."""
    try:
        answer = subprocess.run([uv, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return False
    version = re.match(r"uv (\d+)\.(\d+)", answer)
    return version is not None and (0, 9) <= (int(version[1]), int(version[2])) < (1, 0)


def _install_uv_in_venv() -> str | None:
    """Install uv into a virtual environment of its own; fails where Debian left out python3-venv."""
    shutil.rmtree(UV_ENVIRONMENT, ignore_errors=True)
    failure = _failure(sys.executable, "-m", "venv", str(UV_ENVIRONMENT))
    if failure is None:
        failure = _failure(str(UV_ENVIRONMENT / "bin" / "python"), "-m", "pip", "install", "--quiet", UV_REQUIREMENT)
    return failure


def _install_uv_with_pip() -> str | None:
    """Install uv with the system's pip into a folder, which an externally managed Python allows."""
    shutil.rmtree(UV_ENVIRONMENT, ignore_errors=True)
    return _failure(sys.executable, "-m", "pip", "install", "--quiet", "--target", str(UV_ENVIRONMENT), UV_REQUIREMENT)


def _install_venv_then_uv() -> str | None:
    """Install the missing python3-venv, then uv into a virtual environment."""
    version = "{}.{}".format(*sys.version_info[:2])
    return _apt_install([f"python{version}-venv"]) or _install_uv_in_venv()


def _apt_install(packages: Sequence[str]) -> str | None:
    """Install Debian packages as root or through a sudo that asks no password; the reason if that cannot be."""
    apt = shutil.which("apt-get")
    if apt is None:
        return "there is no apt-get"
    prefix: list[str] = []
    if os.geteuid() != 0:
        if shutil.which("sudo") is None or _failure("sudo", "-n", "true") is not None:
            return "neither root nor a sudo that asks no password"
        prefix = ["sudo", "-n"]
    print(f"installing Debian packages: {' '.join(packages)}", flush=True)
    command = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", apt]
    install = [*command, "install", "--yes", "-qq", "--no-install-recommends", *packages]
    return _failure(*command, "update", "-qq") or _failure(*install)


def _failure(*command: str) -> str | None:
    """Run a command quietly; None if it succeeded, else the command and the end of what it said."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return None if done.returncode == 0 else f"{shlex.join(command)}: {done.stdout.strip()[-2000:]}"
