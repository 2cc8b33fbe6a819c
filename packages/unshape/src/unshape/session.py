"""Sessions: a registry and the evaluators that share it, so that the easy call is the fast call.

A second evaluation of a graph finds its program, its values and the device's memory as the first one left them.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from unshape_backend.executor import BackendNodeExecutor
from unshape_backend.policy import ExecutionPolicy, as_policy
from unshape_backend.registry import BackendRegistry, default_registry
from unshape_backend.scheduler import Scheduler
from unshape_core.cache import ValueCache
from unshape_core.evaluator import LazyEvaluator

if TYPE_CHECKING:
    from typing import TypeAlias

    _Key: TypeAlias = tuple[ExecutionPolicy, bool | None]


class Session:
    """Evaluators over one registry, one for each policy. Safe to use from several threads.

    Parameters
    ----------
    registry : BackendRegistry or None
        Who there is; None takes the one that all easy calls share.
    """

    def __init__(self, registry: BackendRegistry | None = None) -> None:
        self.registry = default_registry() if registry is None else registry
        self._cache = ValueCache()
        self._evaluators: dict[_Key, LazyEvaluator] = {}
        self._lock = threading.Lock()

    def evaluator(self, *, policy: ExecutionPolicy | str = "auto", strict: bool | None = None) -> LazyEvaluator:
        """Return the evaluator of a policy.

        Parameters
        ----------
        policy : ExecutionPolicy or str
            As a record or as on the command line.
        strict : bool or None
            Whether a failing backend is an error; None follows ``UNSHAPE_STRICT``.

        Raises
        ------
        InvalidArgumentError
            If the text names no policy.
        """
        key = (as_policy(policy), strict)
        with self._lock:
            evaluator = self._evaluators.get(key)
            if evaluator is None:
                evaluator = self._evaluators[key] = self._make(key, self._cache)
            return evaluator

    def open_backends(self, *, policy: ExecutionPolicy | str = "auto") -> None:
        """Open the backends that a policy may choose, so that the first evaluation need not; others stay closed."""
        Scheduler(self.registry, as_policy(policy)).topology()

    def fresh_evaluator(self, *, policy: ExecutionPolicy | str = "auto", strict: bool | None = None) -> LazyEvaluator:
        """Return an evaluator that shares no values with others, for whoever measures or compares."""
        return self._make((as_policy(policy), strict), ValueCache())

    def _make(self, key: _Key, cache: ValueCache) -> LazyEvaluator:
        policy, is_strict = key
        executor = BackendNodeExecutor(Scheduler(self.registry, policy), strict=is_strict, cache=cache)
        return LazyEvaluator(executor=executor, cache=cache)


_default: Session | None = None
_default_lock = threading.Lock()


def default_session() -> Session:
    """Return the session of the easy calls; made on first use."""
    global _default  # noqa: PLW0603 (the one default, beside the registry that it holds)
    with _default_lock:
        if _default is None:
            _default = Session()
        return _default
