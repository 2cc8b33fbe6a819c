"""The tracked files fit every machine, and say the same thing where they say it twice."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tools.check_file_size import line_counts, tracked_files
from tools.members import ROOT

FILES = tracked_files()
TEXT_SUFFIXES = frozenset({".c", ".cfg", ".cl", ".h", ".ini", ".json", ".md", ".py", ".toml", ".txt", ".wgsl", ".yml"})
TEXTS = [path for path in FILES if path.suffix in TEXT_SUFFIXES or path.suffix == ""]
SCRIPTS = [
    path
    for path in FILES
    if path.match("tools/*.py") and '__name__ == "__main__"' in (ROOT / path).read_text(encoding="utf-8")
]

# Put together here so that this file does not contain what it looks for.
INDEX_HOST = ".".join(["pypi", "org"])
HOSTS = [INDEX_HOST, ".".join(["files", "pythonhosted", "org"]), ".".join(["registry", "npmjs", "org"])]
MACHINE_PATH = re.compile(r"(?<![\w.~$}/-])/(?:" + "|".join(["root", "home", "work", "Users"]) + r")/\w")


def test_files_are_found() -> None:
    assert len(TEXTS) > 30
    assert len(SCRIPTS) > 5


def test_no_tracked_file_names_a_path_of_a_machine() -> None:
    assert [f"{path}: {line}" for path, line in lines() if MACHINE_PATH.search(line)] == []


def test_no_tracked_file_names_a_registry() -> None:
    assert [f"{path}: {line}" for path, line in lines() if any(host in line for host in HOSTS)] == []


@pytest.mark.parametrize("text", ["see /" + "root/x", "'/" + "home/me/x'", "(/" + "work/main)"])
def test_a_path_of_a_machine_is_noticed(text: str) -> None:
    assert MACHINE_PATH.search(text)


def test_the_lock_knows_the_default_index_and_the_workspace_only() -> None:
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    sources = [package["source"] for package in lock["package"]]
    indexes = {source["registry"] for source in sources if "registry" in source}
    folders = {source.get("editable", source.get("virtual")) for source in sources if "registry" not in source}
    assert indexes == {f"https://{INDEX_HOST}/simple"}
    assert all(isinstance(folder, str) and re.match(r"packages/[\w-]+$", folder) for folder in folders)


def test_ci_runs_what_the_readme_says() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    command = script.rstrip().splitlines()[-1]
    assert command.startswith("python3 ")
    assert f"\n{command}\n" in readme


def test_nearly_no_file_is_long() -> None:
    sizes = line_counts(FILES)
    long_files = {str(path): count for path, count in sizes.items() if count > 400}
    assert len(long_files) <= len(sizes) // 20, long_files


@pytest.mark.parametrize(
    "script", [path for path in SCRIPTS if "__main__" in (ROOT / path).read_text("utf-8")], ids=str
)
def test_every_script_has_a_help(script: Path) -> None:
    # The tools of the root are a package; those of a member stand beside its sources.
    is_module = script.parts[0] == "tools"
    target = ["-m", ".".join(script.with_suffix("").parts)] if is_module else [str(script)]
    done = subprocess.run([sys.executable, *target, "--help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "usage:" in done.stdout


def test_the_bootstrap_is_read_by_older_pythons() -> None:
    """It has to be, to tell them that they are too old."""
    ast.parse((ROOT / "tools" / "dev.py").read_text(encoding="utf-8"), feature_version=(3, 8))


def lines() -> list[tuple[str, str]]:
    """Return every line of the text files, the lock apart."""
    texts = [(str(path), (ROOT / path).read_text(encoding="utf-8")) for path in TEXTS]
    return [(path, line) for path, text in texts for line in text.splitlines()]
