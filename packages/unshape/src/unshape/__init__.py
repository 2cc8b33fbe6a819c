"""Graphs of typed nodes, each run on the best backend that is installed.

Names are loaded when they are first used: importing this package loads no backend and looks for no plugin.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import unshape_image as image
    import unshape_noise as noise
    from unshape.easy import evaluate
    from unshape.session import Session
    from unshape_backend.policy import (
        Auto,
        ByPriority,
        ExecutionPolicy,
        LocalFirst,
        MinimizeCost,
        Named,
        PreferKind,
        parse_policy,
    )
    from unshape_backend.registry import BackendRegistry, default_registry
    from unshape_core.cancellation import CancellationToken
    from unshape_core.context import EvalContext
    from unshape_core.errors import UnshapeError
    from unshape_core.evaluator import LazyEvaluator
    from unshape_core.graph import Graph
    from unshape_core.graph_file import read_graph, write_graph
    from unshape_core.nodes import Constant, GraphInput, GraphOutput, Latch
    from unshape_core.recurrence import Recurrence
    from unshape_core.value import Vec2, Vec3, Vec4
    from unshape_core.value_type import BOOL, F32, F64, I32, TEXTURE, VEC2, VEC3, VEC4
    from unshape_core.window import Window

_HOMES = {
    "unshape_backend.policy": (
        "Auto",
        "ByPriority",
        "ExecutionPolicy",
        "LocalFirst",
        "MinimizeCost",
        "Named",
        "PreferKind",
        "parse_policy",
    ),
    "unshape_backend.registry": ("BackendRegistry", "default_registry"),
    "unshape_core.cancellation": ("CancellationToken",),
    "unshape_core.context": ("EvalContext",),
    "unshape_core.errors": ("UnshapeError",),
    "unshape_core.evaluator": ("LazyEvaluator",),
    "unshape_core.graph": ("Graph",),
    "unshape_core.graph_file": ("read_graph", "write_graph"),
    "unshape_core.nodes": ("Constant", "GraphInput", "GraphOutput", "Latch"),
    "unshape_core.recurrence": ("Recurrence",),
    "unshape_core.value": ("Vec2", "Vec3", "Vec4"),
    "unshape_core.value_type": ("BOOL", "F32", "F64", "I32", "TEXTURE", "VEC2", "VEC3", "VEC4"),
    "unshape_core.window": ("Window",),
    "unshape.easy": ("evaluate",),
    "unshape.session": ("Session",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = {"image": "unshape_image", "noise": "unshape_noise"}

__all__ = [
    "BOOL",
    "F32",
    "F64",
    "I32",
    "TEXTURE",
    "VEC2",
    "VEC3",
    "VEC4",
    "Auto",
    "BackendRegistry",
    "ByPriority",
    "CancellationToken",
    "Constant",
    "EvalContext",
    "ExecutionPolicy",
    "Graph",
    "GraphInput",
    "GraphOutput",
    "Latch",
    "LazyEvaluator",
    "LocalFirst",
    "MinimizeCost",
    "Named",
    "PreferKind",
    "Recurrence",
    "Session",
    "UnshapeError",
    "Vec2",
    "Vec3",
    "Vec4",
    "Window",
    "default_registry",
    "evaluate",
    "image",
    "noise",
    "parse_policy",
    "read_graph",
    "write_graph",
]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        value: object = import_module(_MODULES[name])
    elif name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    else:
        msg = f"module 'unshape' has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
