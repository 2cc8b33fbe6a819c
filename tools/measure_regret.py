"""Measure regret: the time of the placement that a policy chooses over that of the best placement, each measured.

The grid is graphs of one to four nodes, sizes, and where their pictures live; results are wanted on the host. Every
placement that is compared is run through the whole stack with its nodes pinned: all that the policy may choose where a
graph is small, else each backend alone. Runs of one cell take turns, and the values in the cache are dropped before
each. The placement is chosen twice: by what is stated of devices, and by what ``unshape calibrate`` has measured.

A placement that takes eight times as long as the best one is not run again. When the time is up, what is left is named.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from unshape.benchmark import calibrate
from unshape_backend import backend_evaluator
from unshape_backend.candidates import consider
from unshape_backend.config import Settings
from unshape_backend.identity import BackendId
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.plan import Plan
from unshape_backend.plan.planner import make_plan
from unshape_backend.policy import ExecutionPolicy, as_policy
from unshape_backend.registry import BackendRegistry
from unshape_backend.scheduler import Scheduler
from unshape_core import TEXTURE, EvalContext, Graph, GraphInput
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.protocols import Node
from unshape_core.versioned import Versioned
from unshape_image import Blend, GaussianBlur, HeightToNormal, Levels, MapPixels, RemapUv, Resize
from unshape_noise import Perlin, Worley

Pins: TypeAlias = tuple[tuple[int, str], ...]
SIZES_PX = (1, 16, 64, 256, 1024, 2048)
CALIBRATED_PX = (16, 64, 256, 1024)
MOST_PLACEMENTS = 16
HOPELESS = 8.0
LOOKS_BAD = 1.2
SPENT_NS = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A graph of the grid.

    Parameters
    ----------
    name : str
        For the table.
    nodes : tuple of Node
        In a row; the first reads the picture, if there is one. A node of two pictures reads what the first one reads
        besides, or the first node's result if there is no picture.
    channels : int
        Of the picture; 0 for a graph without one.
    """

    name: str
    nodes: tuple[Node, ...]
    channels: int = 0


SAMPLES = (
    Sample(name="Perlin, 1 octave", nodes=(Perlin(scale=8.0, octaves=1),)),
    Sample(name="Perlin, 5 octaves", nodes=(Perlin(scale=6.0, octaves=5),)),
    Sample(name="Worley", nodes=(Worley(scale=8.0),)),
    Sample(name="a*b+c", nodes=(MapPixels("color * 1.5 + 0.25"),), channels=4),
    Sample(name="pow", nodes=(MapPixels("pow(color, 2.2)"),), channels=4),
    Sample(name="warp", nodes=(RemapUv("vec2(u + 0.03*sin(v*20.0), v)"),), channels=4),
    Sample(name="blur 2", nodes=(GaussianBlur(sigma_px=2.0),), channels=4),
    Sample(name="blur 8", nodes=(GaussianBlur(sigma_px=8.0),), channels=1),
    Sample(name="half size", nodes=(Resize(width_px=128, height_px=128),), channels=4),
    Sample(name="noise, levels, normals", nodes=(Perlin(scale=6.0, octaves=4), Levels(gamma=1.5), HeightToNormal())),
    Sample(name="grade, blur, blend", nodes=(Levels(gamma=1.8), GaussianBlur(sigma_px=3.0), Blend()), channels=4),
    Sample(
        name="noise, blur, warp, blend",
        nodes=(
            Perlin(scale=8.0, octaves=3),
            GaussianBlur(sigma_px=2.0),
            RemapUv("vec2(u + 0.05*sin(v*25.1), v)"),
            Blend(opacity=0.5),
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One graph at one size with its picture in one place."""

    sample: Sample
    side_px: int
    space: MemorySpace

    @property
    def name(self) -> str:
        """For the table."""
        place = f", picture in '{self.space}'" if self.sample.channels else ""
        return f"{self.sample.name}, {self.side_px}^2{place}"


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What was measured of a cell: nanoseconds by placement, and which one was chosen before and after calibration."""

    cell: Cell
    times_ns: dict[Pins, float] = field(default_factory=dict)
    chosen: dict[str, Pins] = field(default_factory=dict)

    def regret(self, which: str) -> float:
        """Return the time of the chosen placement over the best one."""
        return self.times_ns[self.chosen[which]] / min(self.times_ns.values())


class Bench:
    """Builds, plans and runs cells on the backends of a registry."""

    def __init__(self, registry: BackendRegistry, policy: ExecutionPolicy) -> None:
        self.registry, self.policy = registry, policy
        self._pictures: dict[tuple[int, int, MemorySpace], Any] = {}

    def graph(self, cell: Cell) -> tuple[Graph, int, EvalContext]:
        """Return a cell's graph, its last node and the context with its picture."""
        graph = Graph()
        inputs: dict[str, Any] = {}
        start: int | None = None
        if cell.sample.channels:
            start = graph.add_node(GraphInput("picture", TEXTURE))
            inputs["picture"] = self._picture(cell)
        before = start
        for node in cell.sample.nodes:
            last = graph.add_node(node)
            if before is not None:
                graph.connect(before, 0, last, 0)
            if len([port for port in node.inputs if port.value_type == TEXTURE and port.default is None]) > 1:
                graph.connect(0, 0, last, 1)
            before = last
        assert before is not None
        return graph, before, EvalContext(resolution=(cell.side_px, cell.side_px), inputs=inputs)

    def _picture(self, cell: Cell) -> Any:
        key = (cell.side_px, cell.sample.channels, cell.space)
        if key not in self._pictures:
            shape = (cell.side_px, cell.side_px, cell.sample.channels)
            array = np.random.default_rng(1).random(shape, np.float32)
            array.flags.writeable = False
            if cell.space == HOST:
                self._pictures[key] = Versioned(array, ("picture", shape))
            else:
                self._pictures[key] = self.registry.current().in_space(cell.space)[0].backend.upload(array)
        return self._pictures[key]

    def plan(self, cell: Cell, pins: Pins = ()) -> Plan:
        """Return the plan of a cell."""
        graph, last, ctx = self.graph(cell)
        inputs = {name: value.array if isinstance(value, Versioned) else value for name, value in ctx.inputs.items()}
        ctx = EvalContext(resolution=ctx.resolution, inputs=inputs)
        scheduler = Scheduler(self.registry, self.policy)
        return make_plan(graph.snapshot(), (last,), ctx, scheduler=scheduler, options=_options(pins))

    def choice(self, cell: Cell) -> Pins:
        """Return the placement that the policy chooses."""
        return tuple(sorted((n, str(step.backend)) for step in self.plan(cell).tasks for n in step.wired.task.node_ids))

    def placements(self, cell: Cell) -> list[Pins]:
        """Return the placements to compare with: all of few nodes, else each backend where it can, others elsewhere."""
        options = PlanOptions(is_fusion_enabled=False, result_space=HOST)
        graph, last, ctx = self.graph(cell)
        inputs = {name: value.array if isinstance(value, Versioned) else value for name, value in ctx.inputs.items()}
        scheduler = Scheduler(self.registry, self.policy)
        ctx = EvalContext(resolution=ctx.resolution, inputs=inputs)
        single = make_plan(graph.snapshot(), (last,), ctx, scheduler=scheduler, options=options)
        able: dict[int, tuple[BackendId, ...]] = {}
        for step in single.tasks:
            allowed = consider(step.wired.task, single.topology, self.policy).allowed
            able.update(dict.fromkeys(step.wired.task.node_ids, allowed))
        if math.prod(len(each) for each in able.values()) <= MOST_PLACEMENTS:
            return [
                tuple(zip(sorted(able), each, strict=True))
                for each in itertools.product(*[able[n] for n in sorted(able)])
            ]
        names = dict.fromkeys(name for each in able.values() for name in each)
        return [tuple((n, name if name in able[n] else able[n][0]) for n in sorted(able)) for name in names]

    def runner(self, cell: Cell, pins: Pins) -> Callable[[], None]:
        """Return a call that evaluates a cell with a placement, its result on the host."""
        graph, last, ctx = self.graph(cell)
        evaluator = backend_evaluator(self.policy, registry=self.registry, options=_options(pins), strict=True)

        def run() -> None:
            evaluator.cache.clear()
            np.asarray(evaluator.evaluate(graph, (last,), ctx).outputs[0][0])

        return run


def _options(pins: Pins) -> PlanOptions:
    return PlanOptions(pins={node_id: BackendId(name) for node_id, name in pins}, result_space=HOST)


def measure(bench: Bench, outcome: Outcome, *, rounds: int) -> bool:
    """Time all placements of a cell in turns; return whether those that were chosen ran.

    A placement that fails is named and left out, one that is hopeless is left out after its first runs.
    """
    runs: dict[Pins, Callable[[], None]] = {}
    times: dict[Pins, list[int]] = {}
    for pins in dict.fromkeys((*outcome.chosen.values(), *bench.placements(outcome.cell))):
        try:
            run = bench.runner(outcome.cell, pins)
            run()
            times[pins] = [min(_timed(run), _timed(run))]
            runs[pins] = run
        except Exception as error:  # one placement that fails must not take the table with it
            print(f"  {outcome.cell.name}: {_text(pins)}: {type(error).__name__}: {error}", file=sys.stderr)
    if not times.keys() >= set(outcome.chosen.values()):
        return False
    for _ in range(3):  # what looks bad may have been disturbed, and gets more rounds
        best = min(min(each) for each in times.values())
        chosen = {*outcome.chosen.values()}
        near = [pins for pins, each in times.items() if pins in chosen or min(each) < HOPELESS * best]
        spent_ns = 0
        for _ in range(rounds):
            if spent_ns > SPENT_NS * len(near):
                break
            for pins in near:
                times[pins].append(_timed(runs[pins]))
                spent_ns += times[pins][-1]
        outcome.times_ns.update({pins: _typical(each) for pins, each in times.items()})
        if max(outcome.regret(which) for which in outcome.chosen) < LOOKS_BAD:
            break
    return True


def _typical(times_ns: Sequence[int]) -> float:
    """Return the lower decile: what else runs on a machine only ever adds to a time."""
    return float(np.quantile(times_ns, 0.1))


def _timed(run: Callable[[], None]) -> int:
    start = time.perf_counter_ns()
    run()
    return time.perf_counter_ns() - start


def grid(bench: Bench, sizes_px: Sequence[int], samples: Sequence[Sample]) -> Iterator[Cell]:
    """Return the cells."""
    spaces = dict.fromkeys(entry.capabilities.space for entry in bench.registry.current().entries)
    for side_px, sample in itertools.product(sizes_px, samples):
        for space in spaces if sample.channels else (HOST,):
            yield Cell(sample=sample, side_px=side_px, space=space)


def _text(pins: Pins) -> str:
    names = [name for _, name in pins]
    return names[0] if len(set(names)) == 1 else " > ".join(names)


def summary(regrets: Sequence[float]) -> str:
    """Return geometric mean and worst."""
    mean = statistics.geometric_mean(regrets)
    return f"geometric mean {mean:.3f}, worst {max(regrets):.2f}, cells {len(regrets)}"


def report(outcomes: Sequence[Outcome], *, is_long: bool) -> None:
    """Print the table, the worst cells first, and the summary."""
    print("| cell | best | ms | stated: chosen | regret | calibrated: chosen | regret |")
    print("|---|---|---|---|---|---|---|")
    ordered = sorted(outcomes, key=lambda each: -max(each.regret(which) for which in each.chosen))
    for each in ordered if is_long else ordered[:20]:
        best = min(each.times_ns, key=each.times_ns.__getitem__)
        shown = " | ".join(f"{_text(each.chosen[w])} | {each.regret(w):.2f}" for w in ("stated", "calibrated"))
        print(f"| {each.cell.name} | {_text(best)} | {each.times_ns[best] / 1e6:.3f} | {shown} |")
    print()
    for which in ("stated", "calibrated"):
        print(f"{which:10}: {summary([each.regret(which) for each in outcomes])}")


def measure_all(options: argparse.Namespace, folder: Path) -> list[Outcome]:
    """Choose by what is stated, calibrate, choose again, and time everything within the time given."""
    registry = BackendRegistry.with_defaults(
        settings=Settings(cache_dir=folder, backends=options.backends, disabled=options.without)
    )
    registry.snapshot()
    bench = Bench(registry, as_policy(options.policy))
    entries = registry.current().entries
    print("; ".join(f"{e.id}: {e.capabilities.device.name}" for e in entries if e.why_unusable() is None))
    samples = [each for each in SAMPLES if options.cases in each.name]
    outcomes = [Outcome(cell=cell) for cell in grid(bench, options.sizes, samples)]
    _choose(bench, outcomes, "stated")
    start = time.monotonic()
    calibrate(registry, sides_px=[side for side in CALIBRATED_PX if side <= max(options.sizes)])
    print(f"calibrated in {time.monotonic() - start:.0f} s\n")
    _choose(bench, outcomes, "calibrated")
    random.Random(1).shuffle(outcomes)  # so that what is left out when the time is up is of all kinds
    deadline = time.monotonic() + options.seconds
    done: list[Outcome] = []
    for outcome in outcomes:
        if time.monotonic() > deadline:
            print(f"the time is up: {len(done)} of {len(outcomes)} cells were measured")
            break
        if measure(bench, outcome, rounds=options.rounds):
            done.append(outcome)
        else:
            print(f"{outcome.cell.name}: what was chosen does not run")
    return done


def _choose(bench: Bench, outcomes: Sequence[Outcome], which: str) -> None:
    for outcome in outcomes:
        outcome.chosen[which] = bench.choice(outcome.cell)


def as_json(outcomes: Sequence[Outcome]) -> list[Mapping[str, Any]]:
    """Return everything that was measured as data."""
    return [
        {
            "cell": each.cell.name,
            "times_ns": {_text(pins): round(ns) for pins, ns in each.times_ns.items()},
            "chosen": {which: _text(pins) for which, pins in each.chosen.items()},
            "regret": {which: round(each.regret(which), 4) for which in each.chosen},
        }
        for each in outcomes
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tools.measure_regret", description=__doc__)
    parser.add_argument("--policy", default="auto", help="auto (default), or minimize-cost for software devices too")
    parser.add_argument("--backends", type=_names, default=None, metavar="A,B", help="the only ones (all installed)")
    parser.add_argument("--without", type=_names, default=("loopback",), metavar="A,B", help="without (loopback)")
    parser.add_argument("--sizes", type=_sizes, default=SIZES_PX, metavar="A,B", help="sides in pixels (1 to 2048)")
    parser.add_argument("--cases", default="", metavar="TEXT", help="only graphs with this in their names")
    parser.add_argument("--rounds", type=int, default=25, help="most rounds of each placement (25)")
    parser.add_argument("--seconds", type=float, default=220.0, help="for the cells, calibration apart (220)")
    parser.add_argument("--long", action="store_true", help="print every cell, not only the 20 worst ones")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that was measured")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        outcomes = measure_all(options, Path(folder))
    if not outcomes:
        print("nothing was measured; give more --seconds")
        return 1
    report(outcomes, is_long=options.long)
    if options.json is not None:
        options.json.write_text(json.dumps(as_json(outcomes), indent=1))
    return 0


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(sorted(int(size) for size in text.split(",")))


if __name__ == "__main__":
    sys.exit(main())
