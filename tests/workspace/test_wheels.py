"""Every wheel carries its licence, its type marker, its entry points and all files of its package."""

from __future__ import annotations

import subprocess
import zipfile
from configparser import ConfigParser
from email.parser import Parser
from pathlib import Path

import pytest

from tools.environment import find_uv
from tools.members import ROOT, Member, find_members

MEMBERS = find_members()
each_member = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.distribution)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheels of all members once."""
    folder = tmp_path_factory.mktemp("wheels")
    command = [find_uv(), "build", "--all-packages", "--wheel", f"--out-dir={folder}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@each_member
def test_wheel_carries_the_licence(wheels: Path, member: Member) -> None:
    with open_wheel(wheels, member=member) as wheel:
        information = f"{member.import_name}-{member.version}.dist-info"
        metadata = Parser().parsestr(wheel.read(f"{information}/METADATA").decode())
        assert metadata["License-Expression"] == "MIT"
        assert metadata["License-File"] == "LICENSE"
        assert wheel.read(f"{information}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


@each_member
def test_wheel_carries_every_file_of_the_package_and_no_test(wheels: Path, member: Member) -> None:
    files = [path for path in member.source.rglob("*") if path.is_file() and path.suffix not in {".pyc", ".so", ".pyd"}]
    expected = {str(path.relative_to(member.source.parent)) for path in files}
    with open_wheel(wheels, member=member) as wheel:
        names = set(wheel.namelist())
    assert f"{member.import_name}/py.typed" in expected
    assert expected - names == set()
    assert {name.partition("/")[0] for name in names} == {
        member.import_name,
        f"{member.import_name}-{member.version}.dist-info",
    }


@each_member
def test_wheel_carries_the_entry_points(wheels: Path, member: Member) -> None:
    declared = {group: table for group, table in member.entry_points.items() if table}
    with open_wheel(wheels, member=member) as wheel:
        name = f"{member.import_name}-{member.version}.dist-info/entry_points.txt"
        parser = ConfigParser(delimiters=("=",))
        parser.optionxform = str  # type: ignore[assignment,method-assign]  # keep the case of names
        parser.read_string(wheel.read(name).decode() if name in wheel.namelist() else "")
    built = {group: dict(parser.items(group)) for group in parser.sections() if group != "console_scripts"}
    assert declared == built


def open_wheel(folder: Path, *, member: Member) -> zipfile.ZipFile:
    """Open the one wheel of a member."""
    (path,) = folder.glob(f"{member.import_name}-{member.version}-*.whl")
    return zipfile.ZipFile(path)
