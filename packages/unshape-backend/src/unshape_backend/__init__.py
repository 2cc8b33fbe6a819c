"""Backends: protocols, registry, selection, cost, planner and the reference backend."""

from unshape_backend.availability import Availability, Available, Unavailable, UnavailableReason
from unshape_backend.candidates import Candidates
from unshape_backend.capabilities import (
    BackendCapabilities,
    DeviceInfo,
    DeviceLimits,
    Feature,
    FigureSource,
    Link,
    Throughput,
    TransferPath,
)
from unshape_backend.config import Settings
from unshape_backend.cost import Cost, CostBasis, roofline
from unshape_backend.cpu import CpuBackend
from unshape_backend.decision import Decision
from unshape_backend.errors import (
    BackendClosedError,
    BackendError,
    BackendUnavailableError,
    CompilationError,
    DeviceLostError,
    ForkedProcessError,
    KernelConflictError,
    OutOfMemoryError,
    ProtocolVersionError,
    SelectionError,
    UnsupportedTaskError,
)
from unshape_backend.executor import BackendNodeExecutor, backend_evaluator
from unshape_backend.health import Health
from unshape_backend.identity import CPU, CPU_SIMD, GPU, REFERENCE, BackendId, BackendKind
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.measure import measure_links, measure_task
from unshape_backend.measurement import Cell, CellKey, MeasuredLink, Measurements
from unshape_backend.memory_fit import FitStatus, would_fit
from unshape_backend.nodes.transfer import Transfer, TransferToCpu, TransferToGpu
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.plan import Plan
from unshape_backend.plan.planner import make_plan
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
from unshape_backend.protocols import (
    PROTOCOL_VERSION,
    CompiledTask,
    ComputeBackend,
    MemoryInfo,
    SupportsDirectTransfer,
    SupportsKernelTable,
    SupportsTrim,
)
from unshape_backend.registry import BackendRegistry, default_registry
from unshape_backend.routing import OpRoute, RoutedChain, route
from unshape_backend.scheduler import Scheduler
from unshape_backend.selection import Selection, SelectionRequest, fallback_chain, select, select_best
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_backend.topology import BackendEntry, Topology
from unshape_backend.transfer import LinkTable, shares_storage
from unshape_core.workload import OpClass, WorkloadHint

__all__ = [
    "CPU",
    "CPU_SIMD",
    "GPU",
    "PROTOCOL_VERSION",
    "REFERENCE",
    "Auto",
    "Availability",
    "Available",
    "BackendCapabilities",
    "BackendClosedError",
    "BackendEntry",
    "BackendError",
    "BackendId",
    "BackendKind",
    "BackendNodeExecutor",
    "BackendRegistry",
    "BackendUnavailableError",
    "ByPriority",
    "Candidates",
    "Cell",
    "CellKey",
    "CompilationError",
    "CompiledTask",
    "ComputeBackend",
    "Cost",
    "CostBasis",
    "CpuBackend",
    "Decision",
    "DeviceInfo",
    "DeviceLimits",
    "DeviceLostError",
    "ExecutionPolicy",
    "Feature",
    "FigureSource",
    "FitStatus",
    "ForkedProcessError",
    "Health",
    "KernelConflictError",
    "KernelSpec",
    "KernelTable",
    "Link",
    "LinkTable",
    "LocalFirst",
    "MeasuredLink",
    "Measurements",
    "MemoryInfo",
    "MinimizeCost",
    "Named",
    "OpClass",
    "OpRoute",
    "OutOfMemoryError",
    "Plan",
    "PlanOptions",
    "PreferKind",
    "ProtocolVersionError",
    "Rejection",
    "RejectionCode",
    "RoutedChain",
    "Scheduler",
    "Selection",
    "SelectionError",
    "SelectionRequest",
    "Settings",
    "SupportsDirectTransfer",
    "SupportsKernelTable",
    "SupportsTrim",
    "Task",
    "Throughput",
    "Topology",
    "Transfer",
    "TransferPath",
    "TransferToCpu",
    "TransferToGpu",
    "Unavailable",
    "UnavailableReason",
    "UnsupportedTaskError",
    "WorkloadHint",
    "backend_evaluator",
    "default_registry",
    "fallback_chain",
    "make_plan",
    "measure_links",
    "measure_task",
    "parse_policy",
    "roofline",
    "route",
    "select",
    "select_best",
    "shares_storage",
    "would_fit",
]
