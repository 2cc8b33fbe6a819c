"""The easy call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unshape.session import default_session
from unshape_core.context import EvalContext, Precision

if TYPE_CHECKING:
    from unshape_backend.policy import ExecutionPolicy
    from unshape_core.cancellation import CancellationToken
    from unshape_core.graph import Graph
    from unshape_core.protocols import ProgressSink
    from unshape_core.result import EvalResult
    from unshape_core.window import Window


def evaluate(
    graph: Graph,
    outputs: Sequence[int | str],
    *,
    resolution: tuple[int, int] = (512, 512),
    policy: ExecutionPolicy | str = "auto",
    inputs: Mapping[str, Any] | None = None,
    seed: int = 0,
    time_s: float = 0.0,
    frame: int = 0,
    window: Window | None = None,
    precision: Precision = "exact",
    strict: bool | None = None,
    keeps_records: bool = False,
    cancellation: CancellationToken | None = None,
    progress: ProgressSink | None = None,
) -> EvalResult:
    """Compute the outputs of some nodes, wherever that is best.

    Parameters
    ----------
    graph : Graph
        What to evaluate.
    outputs : sequence of (int or str)
        Nodes by number, or ``GraphOutput`` nodes by name.
    resolution : (int, int)
        ``(width_px, height_px)`` of generated pictures.
    policy : ExecutionPolicy or str
        ``"auto"``, ``"local-first"``, ``"minimize-cost"``, ``"by-priority"``, ``"prefer:KIND"``, ``"named:BACKEND"``.
    inputs : mapping of str to value
        Values of the ``GraphInput`` nodes; anything that means an array is taken as one.
    seed : int
        Added to all seeds, modulo 2**32.
    time_s : float
        Time of the picture in seconds.
    frame : int
        Number of the picture in a sequence.
    window : Window or None
        The part of the picture to compute; None means all.
    precision : {"exact", "fast"}
        "exact" gives the same bits on every backend; "fast" stays within each node's bound.
    strict : bool or None
        Whether a failing backend is an error instead of a fallback; None follows ``UNSHAPE_STRICT``.
    keeps_records : bool
        Whether ``result.records`` says what every step did.
    cancellation : CancellationToken or None
        Stops the evaluation from another thread.
    progress : ProgressSink or None
        Told of every step.

    Returns
    -------
    EvalResult
        ``outputs[i][j]`` is the value of port j of the i-th node asked for: a scalar, a read-only numpy array, or an
        array on a device, for which ``numpy.asarray`` makes a host copy. ``plan.explain()`` says why it ran there.

    Raises
    ------
    UnshapeError
        In one sentence with the remedy; see :meth:`unshape_core.LazyEvaluator.evaluate`.

    Examples
    --------
    >>> import unshape as us
    >>> from unshape import noise
    >>> graph = us.Graph()
    >>> height = graph.add_node(noise.Perlin(scale=4.0, octaves=6, seed=7))
    >>> result = us.evaluate(graph, [height], resolution=(64, 32))
    >>> result.outputs[0][0].shape
    (32, 64, 1)
    """
    ctx = EvalContext(
        time_s=time_s,
        frame=frame,
        resolution=resolution,
        window=window,
        seed=seed,
        inputs={} if inputs is None else inputs,
        precision=precision,
        cancellation=cancellation,
        progress=progress,
    )
    evaluator = default_session().evaluator(policy=policy, strict=strict)
    return evaluator.evaluate(graph, outputs, ctx, keeps_records=keeps_records)
