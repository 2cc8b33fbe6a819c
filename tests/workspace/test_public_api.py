"""What a package exports exists and is documented, and ``__init__.py`` does nothing but export."""

from __future__ import annotations

import ast
import importlib
import inspect

import pytest

from tools.members import FACADE, Member, find_members

MEMBERS = find_members()
LAZY_HOOKS = frozenset({"__getattr__", "__dir__"})
each_member = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.distribution)


@each_member
def test_what_is_exported_exists_and_is_documented(member: Member) -> None:
    package = importlib.import_module(member.import_name)
    assert package.__doc__
    exported = getattr(package, "__all__", ())
    assert len(set(exported)) == len(exported)
    for name in exported:
        value = getattr(package, name)
        if inspect.isclass(value) or inspect.isfunction(value) or inspect.ismodule(value):
            assert value.__doc__, f"{member.import_name}.{name} has no docstring"


@each_member
def test_init_holds_imports_and_exports_only(member: Member) -> None:
    for path in member.source.rglob("__init__.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        other = [ast.unparse(node) for node in body if not is_export(node, lazy=member.distribution == FACADE)]
        assert other == [], path


def is_export(node: ast.stmt, *, lazy: bool) -> bool:
    """Tell whether a statement is the docstring, an import or ``__all__``; for the facade also lazy loading."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())) | ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name == "__all__" or (lazy and name.startswith("_"))
        case ast.FunctionDef(name=name):
            return lazy and name in LAZY_HOOKS
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return lazy
        case _:
            return False
