"""Measure the processor table: our backend beside its peers, interleaved in one run, and whether each must is met.

``python -m tools.bench`` from the root; cases, timing and backends are those of ``unshape bench``. Every candidate of a
row takes its turn in every round: our runs for each instruction set, precision and number of threads, and each peer.
Outputs are allocated and code is compiled before; the first round does not count; medians are printed. A ratio is the
peer's time over ours. A peer that is missing is a row that says so.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tools.cpu_table.row import Peer, Row, Run
from tools.cpu_table.rows import matching
from unshape.benchmark import prepared_case
from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.kernel_library import KernelLibrary
from unshape_backend.measure import time_in_turns
from unshape_backend.protocols import ComputeBackend
from unshape_core.context import Precision
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.isa import VARIABLE, Isa, usable_isas

_SCALING_MUST = 1.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the table.

    Attributes
    ----------
    work, precision, isa, peer, peer_version, note : str
        What was timed, and what it is compared with; the note says why there is no figure.
    threads : int
        Of our run, and of the peer's if it can use more than one.
    ours_ns, peer_ns : int or None
        Medians.
    ratio, must : float or None
        The peer's time over ours; at least what it must be.
    """

    work: str
    precision: str
    isa: str
    threads: int
    ours_ns: int | None
    peer: str
    peer_version: str
    peer_ns: int | None
    must: float | None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """The peer's time over ours."""
        return None if self.ours_ns is None or self.peer_ns is None else self.peer_ns / self.ours_ns

    def cells(self) -> tuple[str, ...]:
        """Return the texts of the line."""
        ratio = self.ratio
        met = "" if self.must is None or ratio is None else "yes" if ratio >= self.must else "NO"
        return (
            self.work,
            self.precision,
            self.isa,
            str(self.threads),
            _ms(self.ours_ns),
            f"{self.peer} {self.peer_version}".strip(),
            self.note or _ms(self.peer_ns),
            "" if ratio is None else f"{ratio:.2f}",
            "" if self.must is None else f"{self.must:g}",
            met,
        )


HEADS = ("work", "precision", "isa", "threads", "ours ms", "peer", "peer ms", "ratio", "must", "met")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 0 unless nothing matches."""
    options = _parser().parse_args(arguments)
    if options.cpu_time:
        options.threads = (1,)
    if options.quick:
        options.side, options.rounds = 256, 3
    isas = _isas(options.isa)
    rows = matching(options.rows, options.side)
    if not rows:
        sys.stderr.write(f"no row matches {options.rows.pattern!r}\n")
        return 1
    print(
        f"{platform.processor() or platform.machine()} {_cpu_name()}; {os.cpu_count()} processors; "
        f"Python {platform.python_version()}; numpy {version('numpy')}; "
        f"{options.side}x{options.side}; median of {options.rounds} interleaved rounds"
        f"{', processor time of the calling thread' if options.cpu_time else ''}\n"
    )
    print("| " + " | ".join(HEADS) + " |\n|" + "---|" * len(HEADS), flush=True)
    lines: list[Line] = []
    for row in rows:
        for line in _measure(row, isas, options):
            print("| " + " | ".join(line.cells()) + " |", flush=True)
            lines.append(line)
    wanted = [line for line in lines if line.must is not None and line.ratio is not None]
    met = sum(1 for line in wanted if (line.ratio or 0.0) >= (line.must or 0.0))
    print(f"\n{met} of {len(wanted)} musts met")
    if options.json:
        texts = [{**asdict(line), "ratio": line.ratio} for line in lines]
        options.json.write_text(json.dumps(texts, indent=1) + "\n", encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=re.compile, default=re.compile(""), metavar="REGEX", help="which work (all)")
    parser.add_argument("--isa", help="instruction sets, comma-separated (avx2 and the best; all: every one)")
    parser.add_argument("--threads", type=_numbers, default=(1, 2), metavar="N,N", help="numbers of threads (1,2)")
    parser.add_argument("--precision", choices=("exact", "fast", "both"), default="both")
    parser.add_argument("--side", type=int, default=2048, metavar="PX", help="width and height of pictures (2048)")
    parser.add_argument("--rounds", type=int, default=15, help="rounds that count (15)")
    parser.add_argument("--pause-ms", type=float, default=0.0, help="rest between runs, so that clocks stay high (0)")
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="count processor time of the calling thread, for machines that others use too; one thread only",
    )
    parser.add_argument("--quick", action="store_true", help="small pictures and few rounds: whether it all runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here as well")
    return parser


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def _isas(text: str | None) -> list[Isa]:
    usable = usable_isas()
    forced = os.environ.get(VARIABLE)
    if text == "all":
        return list(usable)
    names = text.split(",") if text else [forced] if forced else ["avx2", usable[-1].name]
    return [isa for isa in usable if isa.name in names]


def _measure(row: Row, isas: Sequence[Isa], options: argparse.Namespace) -> list[Line]:
    """Time a row; what fails is a line that says so."""
    precisions: list[Precision] = [p for p in ("exact", "fast") if options.precision in {p, "both"}]
    inputs = row.case.values()
    runs: dict[tuple[object, ...], Run] = {}
    failed: dict[tuple[object, ...], str] = {}

    def prepare(key: tuple[object, ...], make: Callable[[], Run]) -> None:
        try:
            runs[key] = make()
            runs[key]()
        except ImportError:
            runs.pop(key, None)
            failed[key] = "missing"
        except Exception as error:  # one candidate that fails leaves the others
            runs.pop(key, None)
            failed[key] = f"{type(error).__name__}: {error}".splitlines()[0][:120]

    if row.backend == "cpu":
        ours: list[tuple[Precision, str, int]] = [("exact", "numpy", 1)]
    else:
        ours = [(p, isa.name, n) for p in precisions for isa in isas for n in options.threads]
    for precision, isa_name, threads in ours:
        isa = next((each for each in isas if each.name == isa_name), None)
        prepare(
            (precision, isa_name, threads),
            lambda precision=precision, isa=isa, threads=threads: prepared_case(  # type: ignore[misc]
                row.case, inputs, _backend(isa, threads), precision
            ),
        )
    for peer in row.peers:
        for threads in options.threads if peer.has_threads else (1,):
            prepare((peer.name, threads), lambda peer=peer, threads=threads: peer.make(inputs, threads))  # type: ignore[misc]
    pause_s = options.pause_ms / 1e3
    medians = time_in_turns(
        runs,
        samples=options.rounds + 1,
        between=lambda: time.sleep(pause_s) if pause_s else None,
        clock=time.thread_time_ns if options.cpu_time else time.perf_counter_ns,
    )

    lines = []
    best = isas[-1].name if isas else ""
    for precision, isa_name, threads in ours:
        key = (precision, isa_name, threads)
        for peer in row.peers:
            peer_key = (peer.name, threads if peer.has_threads else 1)
            lines.append(
                Line(
                    work=row.work,
                    precision=precision,
                    isa=isa_name,
                    threads=threads,
                    ours_ns=medians.get(key),
                    peer=peer.name,
                    peer_version=_version(peer),
                    peer_ns=medians.get(peer_key),
                    must=peer.required(isa_name, threads, precision, is_best=isa_name == best),
                    note=failed.get(key) or failed.get(peer_key, ""),
                )
            )
        if threads != 1 and (precision, isa_name, 1) in medians:
            lines.append(
                Line(
                    work=row.work,
                    precision=precision,
                    isa=isa_name,
                    threads=threads,
                    ours_ns=medians.get(key),
                    peer="itself on 1 thread",
                    peer_version="",
                    peer_ns=medians[precision, isa_name, 1],
                    must=_SCALING_MUST if threads == 2 and not row.is_memory_bound else None,
                    note=failed.get(key, ""),
                )
            )
    return lines


def _backend(isa: Isa | None, threads: int) -> ComputeBackend:
    if isa is None:
        return CpuBackend()
    backend = SimdBackend(isa, threads=threads)
    KernelLibrary().give(backend, "simd")
    return backend


def _version(peer: Peer) -> str:
    try:
        return version(peer.distribution)
    except PackageNotFoundError:
        return f"(pip install {peer.distribution})"


def _ms(ns: int | None) -> str:
    return "" if ns is None else f"{ns / 1e6:.2f}"


def _cpu_name() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""
    found = re.search(r"model name\s*:\s*(.*)", text)
    return found[1] if found else ""


if __name__ == "__main__":
    raise SystemExit(main())
