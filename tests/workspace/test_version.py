"""Setting the version changes the version and the pins between members, and nothing else."""

from __future__ import annotations

from tools.members import find_members
from tools.set_version import with_version

MEMBERS = find_members()
NAMES = frozenset(member.distribution for member in MEMBERS)


def test_only_versions_of_members_change() -> None:
    before = 'version = "0.1.0"\n"numpy ==2.2"\n"unshape-core ==0.1.0"\n"unshape[cli] ==0.1.0"\n"unshape-core"\n'
    after = 'version = "9.8.7"\n"numpy ==2.2"\n"unshape-core ==9.8.7"\n"unshape[cli] ==9.8.7"\n"unshape-core"\n'
    assert after == with_version(before, version="9.8.7", members=NAMES)


def test_setting_the_present_version_changes_nothing() -> None:
    for member in MEMBERS:
        text = (member.folder / "pyproject.toml").read_text(encoding="utf-8")
        assert text == with_version(text, version=member.version, members=NAMES)
