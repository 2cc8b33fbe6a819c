"""What a node promises by itself: parameters only, one meaning, specs that come true, and no hidden dependence."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unshape_backend.case import Case, Picture
from unshape_core.content_key import node_key
from unshape_core.context import ContextField
from unshape_core.errors import InvalidArgumentError
from unshape_core.graph import Graph
from unshape_core.graph_file import graph_from_json, graph_to_json
from unshape_core.node_registry import NodeRegistry
from unshape_core.protocols import Node, SupportsExecute
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import ArrayType
from unshape_core.workload import OpClass
from unshape_expr.body import SupportsBody
from unshape_testing.laws import numbers
from unshape_testing.laws.numbers import case_job, definition, reference
from unshape_testing.tasks import make_job, run_job
from unshape_testing.tolerance import assert_same_bits, is_same_bits


def check_is_described(node_type: type[Node]) -> None:
    """Check that a node type has a name, ports and words for ``unshape nodes``.

    Parameters
    ----------
    node_type : type of Node
        A class.
    """
    where = node_type.__qualname__
    package, _, name = str(node_type.type_name).partition("::")
    assert package, f"{where}: expected a type_name such as 'package::Type'"
    assert name, f"{where}: expected a type_name such as 'package::Type'"
    words = node_type.__doc__ or ""
    assert words.strip(), f"{where}: expected a docstring"
    assert not words.startswith(f"{where}("), f"{where}: expected a docstring of its own, got the one dataclass made"
    parameters = getattr(node_type, "__dataclass_params__", None)
    assert parameters is not None, f"{where}: expected a dataclass"
    assert parameters.frozen, f"{where}: expected a frozen dataclass"


def check_has_one_meaning(node: Node) -> None:
    """Check that a node is either an expression or NumPy code, and that its facts are of the right kind."""
    has_body, has_execute = isinstance(node, SupportsBody), isinstance(node, SupportsExecute)
    assert has_body != has_execute, f"{node.type_name}: expected a body or execute(), and not both"
    assert isinstance(node.op_class, OpClass)
    assert node.context_fields <= frozenset(ContextField)
    assert node.outputs, f"{node.type_name}: expected an output port"
    for ports in (node.inputs, node.outputs):
        names = [port.name for port in ports]
        assert len(set(names)) == len(names), f"{node.type_name}: two ports of one name: {names}"


def check_is_its_parameters(node: Node, registry: NodeRegistry) -> None:
    """Check that a node is its parameters and nothing else: hashed, pickled, written and read it stays the same.

    Parameters
    ----------
    node : Node
        The node.
    registry : NodeRegistry
        Knows its type.
    """
    copies = {"pickled": pickle.loads(pickle.dumps(node)), "written and read": _from_file(node, registry)}
    for how, copy in copies.items():
        assert type(copy) is type(node)
        assert copy == node, f"{node.type_name}: {how}, it is another node: {copy}"
        assert hash(copy) == hash(node), f"{node.type_name}: {how}, its hash is another one"
        assert node_key(copy) == node_key(node) is not None, f"{node.type_name}: {how}, its key is another one"


def _from_file(node: Node, registry: NodeRegistry) -> Node:
    graph = Graph()
    node_id = graph.add_node(node)
    return graph_from_json(graph_to_json(graph), registry=registry).node(node_id)


def check_specs_come_true(case: Case) -> None:
    """Check that what ``infer`` said before is what comes out: number, types, shapes."""
    job = case_job(case)
    outputs = definition(job)
    assert len(outputs) == len(case.node.outputs), f"{case.name}: expected an output for each port"
    for index, (value, spec) in enumerate(zip(outputs, job.task.output_specs, strict=True)):
        assert spec.value_type == case.node.outputs[index].value_type
        _check_spec(value, spec, f"{case.name}, output {index}")


def _check_spec(value: Value, spec: ValueSpec, where: str) -> None:
    if not isinstance(spec.value_type, ArrayType):
        assert not isinstance(value, np.ndarray), f"{where}: expected {spec.value_type}, got an array"
        return
    assert isinstance(value, np.ndarray), f"{where}: expected an array, got {type(value).__name__}"
    assert value.dtype.name == spec.value_type.dtype, f"{where}: inferred {spec.value_type}, got {value.dtype}"
    assert value.ndim == len(spec.value_type.axes), f"{where}: inferred {spec.value_type}, got shape {value.shape}"
    if spec.shape is not None:
        assert value.shape == spec.shape, f"{where}: inferred shape {spec.shape}, got {value.shape}"


OTHER_CONTEXTS: dict[ContextField, dict[str, Any]] = {
    ContextField.TIME: {"time_s": 123.25},
    ContextField.FRAME: {"frame": 77},
    ContextField.DT: {"dt_s": 0.5},
    ContextField.PREVIEW: {"preview": True},
    ContextField.SEED: {"seed": 424242},
}
"""For each context field a value that no case has; resolution and inputs change what is asked for."""


def check_depends_on_what_it_declares(case: Case) -> None:
    """Check that no context field changes the result but those that the node declares."""
    before = definition(case_job(case))
    for field, change in OTHER_CONTEXTS.items():
        if field in case.node.context_fields:
            continue
        changed = replace(case, ctx=replace(case.ctx, **change))
        assert_same_bits(before, definition(case_job(changed)), what=f"{case.name}: {field} changed, not declared")


def check_declared_fields_matter(cases: Sequence[Case]) -> None:
    """Check that a declared field changes the result in some case; else a cache is emptied for nothing.

    Parameters
    ----------
    cases : sequence of Case
        All cases of one node type.
    """
    declared = {field for case in cases for field in case.node.context_fields if field in OTHER_CONTEXTS}
    for field in declared:
        changed = [
            replace(case, ctx=replace(case.ctx, **OTHER_CONTEXTS[field]))
            for case in cases
            if field in case.node.context_fields
        ]
        pairs = zip([case for case in cases if field in case.node.context_fields], changed, strict=True)
        is_used = any(not _is_same(definition(case_job(one)), definition(case_job(other))) for one, other in pairs)
        assert is_used, f"{cases[0].node.type_name}: declares {field}, which changes no case"


def _is_same(left: Sequence[Value], right: Sequence[Value]) -> bool:
    return all(is_same_bits(one, other) for one, other in zip(left, right, strict=True))


def check_takes_zero_elements(case: Case) -> None:
    """Law 3 for a node: pictures without pixels give what was inferred, or are refused as invalid arguments."""
    pictures = [item for item in case.inputs if isinstance(item, Picture)]
    if not pictures and case.node.inputs:
        return
    for width_px, height_px in ((0, 5), (5, 0)):
        inputs = tuple(
            replace(item, width_px=width_px, height_px=height_px) if isinstance(item, Picture) else item
            for item in case.inputs
        )
        ctx = replace(case.ctx, resolution=(width_px, height_px))
        try:
            job = make_job(case.node, replace(case, inputs=inputs).values(), ctx)
        except InvalidArgumentError:
            continue
        for value, spec in zip(definition(job), job.task.output_specs, strict=True):
            _check_spec(value, spec, f"{case.name}, {width_px} x {height_px}")


def check_windows(case: Case) -> None:
    """Law 13 on the reference: any window equals the same part of the whole."""
    numbers.check_windows(reference(), case)


def check_layouts(case: Case) -> None:
    """Law 11 on the reference: any layout, inputs unchanged, outputs of their own."""
    numbers.check_layouts(reference(), case)


def check_repeats(case: Case) -> None:
    """Law 12 on the reference: the same again, also from a node that was made anew."""
    first = run_job(reference(), case_job(case))
    again = replace(case, node=pickle.loads(pickle.dumps(case.node)))
    assert_same_bits(first, run_job(reference(), case_job(again)), what=f"{case.name}, again")
