"""Policies: what the caller wants of placement. Frozen, matched exhaustively, written as on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from unshape_backend.identity import BackendId, BackendKind, family, parse_backend_id
from unshape_core.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class Auto:
    """Least estimated time of the whole plan; software devices are never preferred as GPUs; ties stay where data is."""

    def __str__(self) -> str:
        return "auto"


@dataclass(frozen=True, slots=True)
class PreferKind:
    """Backends of one kind wherever they support the node, else as ``Auto``.

    A software device does not count as the kind it plays.
    """

    kind: BackendKind

    def __str__(self) -> str:
        return f"prefer:{self.kind}"


@dataclass(frozen=True, slots=True)
class Named:
    """One backend and no other; a node that it does not support is an error."""

    id: BackendId

    def __str__(self) -> str:
        return f"named:{self.id}"


@dataclass(frozen=True, slots=True)
class LocalFirst:
    """Run where most of the input bytes are; without inputs as ``Auto``."""

    def __str__(self) -> str:
        return "local-first"


@dataclass(frozen=True, slots=True)
class MinimizeCost:
    """Least estimated time, software devices and all."""

    def __str__(self) -> str:
        return "minimize-cost"


@dataclass(frozen=True, slots=True)
class ByPriority:
    """The registered priority decides, whatever it costs."""

    def __str__(self) -> str:
        return "by-priority"


ExecutionPolicy: TypeAlias = Auto | PreferKind | Named | LocalFirst | MinimizeCost | ByPriority

AUTO = Auto()
"""The default."""

POLICY_FORMS = ("auto", "local-first", "minimize-cost", "by-priority", "prefer:KIND", "named:BACKEND")
"""What :func:`parse_policy` takes."""


def parse_policy(text: str) -> ExecutionPolicy:
    """Return the policy that a text names.

    Parameters
    ----------
    text : str
        One of :data:`POLICY_FORMS`; ``str`` of a policy gives it back.

    Raises
    ------
    InvalidArgumentError
        If it names none.

    Examples
    --------
    >>> parse_policy("named:gpu:1")
    Named(id='gpu:1')
    >>> str(parse_policy("prefer:gpu"))
    'prefer:gpu'
    """
    head, _, argument = text.strip().partition(":")
    match head, argument:
        case "auto", "":
            return Auto()
        case "local-first", "":
            return LocalFirst()
        case "minimize-cost", "":
            return MinimizeCost()
        case "by-priority", "":
            return ByPriority()
        case "prefer", kind if kind:
            return PreferKind(BackendKind.custom(kind))
        case "named", backend_id if backend_id:
            return Named(parse_backend_id(backend_id))
        case _:
            msg = f"policy: expected one of {', '.join(POLICY_FORMS)}, got {text!r}"
            raise InvalidArgumentError(msg)


def as_policy(policy: object) -> ExecutionPolicy:
    """Return a policy that is given as a record or as on the command line.

    Raises
    ------
    InvalidArgumentError
        If it is neither.
    """
    if isinstance(policy, ExecutionPolicy):
        return policy
    if isinstance(policy, str):
        return parse_policy(policy)
    msg = f"policy: expected one of {', '.join(POLICY_FORMS)}, got {policy!r}"
    raise InvalidArgumentError(msg)


def wanted_families(policy: ExecutionPolicy) -> frozenset[str] | None:
    """Return the families of backends that a policy may choose from; None stands for all there are.

    The reference is always there, and need not be named.
    """
    match policy:
        case Named(backend_id):
            return frozenset({family(backend_id)})
        case Auto() | PreferKind() | MinimizeCost() | LocalFirst() | ByPriority():
            return None
        case _:
            assert_never(policy)


def minimizes_plan_time(policy: ExecutionPolicy) -> bool:
    """Return whether a policy asks for the least time of a whole plan; the others decide task by task."""
    match policy:
        case Auto() | PreferKind() | MinimizeCost():
            return True
        case Named() | LocalFirst() | ByPriority():
            return False
        case _:
            assert_never(policy)
