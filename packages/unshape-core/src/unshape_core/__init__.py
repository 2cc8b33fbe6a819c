"""Values, ports, nodes, graphs and the lazy evaluator."""

from unshape_core.cache import CacheStatistics, ValueCache
from unshape_core.cancellation import CancellationToken
from unshape_core.coercion import as_host_array, coerce_value
from unshape_core.context import ContextField, EvalContext, Precision
from unshape_core.errors import (
    Cancelled,
    CycleError,
    GraphError,
    GraphFileError,
    InvalidArgumentError,
    MissingInputError,
    NodeError,
    PortOccupiedError,
    PortTypeError,
    SeekError,
    UnknownNodeError,
    UnknownPortError,
    UnshapeError,
)
from unshape_core.eval_handle import EvalHandle
from unshape_core.evaluator import LazyEvaluator
from unshape_core.executor import Definition, DefinitionExecutor
from unshape_core.graph import Graph
from unshape_core.graph_file import graph_from_json, graph_to_json, read_graph, write_graph
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.node_registry import NodeRegistry, default_node_registry
from unshape_core.nodes import Constant, GraphInput, GraphOutput, Latch
from unshape_core.parameter_checks import check_choice, check_integer, check_number
from unshape_core.port import Port
from unshape_core.program import Program, Step, StepKind
from unshape_core.progress import EvalProgress
from unshape_core.protocols import (
    GraphValue,
    Node,
    NodeExecutor,
    ProgressSink,
    SupportsExecute,
    SupportsFlops,
    SupportsInputWindows,
    SupportsRecovery,
    SupportsScalarFunction,
)
from unshape_core.recurrence import LatchSnapshot, Recurrence, SeekBehavior
from unshape_core.result import EvalResult, EvalStatistics, StepRecord
from unshape_core.snapshot import GraphSnapshot, Wire
from unshape_core.spec import Region, ValueSpec, spec_of
from unshape_core.value import HostArray, Value, Vec2, Vec3, Vec4, round_to_f32
from unshape_core.value_type import (
    BOOL,
    F32,
    F64,
    I32,
    TEXTURE,
    VEC2,
    VEC3,
    VEC4,
    ArrayType,
    CustomType,
    ScalarType,
    ValueType,
)
from unshape_core.versioned import Versioned
from unshape_core.window import Window
from unshape_core.workload import OpClass, WorkloadHint

__all__ = [
    "BOOL",
    "F32",
    "F64",
    "HOST",
    "I32",
    "TEXTURE",
    "VEC2",
    "VEC3",
    "VEC4",
    "ArrayType",
    "CacheStatistics",
    "CancellationToken",
    "Cancelled",
    "Constant",
    "ContextField",
    "CustomType",
    "CycleError",
    "Definition",
    "DefinitionExecutor",
    "EvalContext",
    "EvalHandle",
    "EvalProgress",
    "EvalResult",
    "EvalStatistics",
    "Graph",
    "GraphError",
    "GraphFileError",
    "GraphInput",
    "GraphOutput",
    "GraphSnapshot",
    "GraphValue",
    "HostArray",
    "InvalidArgumentError",
    "Latch",
    "LatchSnapshot",
    "LazyEvaluator",
    "MemorySpace",
    "MissingInputError",
    "Node",
    "NodeError",
    "NodeExecutor",
    "NodeRegistry",
    "OpClass",
    "Port",
    "PortOccupiedError",
    "PortTypeError",
    "Precision",
    "Program",
    "ProgressSink",
    "Recurrence",
    "Region",
    "ScalarType",
    "SeekBehavior",
    "SeekError",
    "Step",
    "StepKind",
    "StepRecord",
    "SupportsExecute",
    "SupportsFlops",
    "SupportsInputWindows",
    "SupportsRecovery",
    "SupportsScalarFunction",
    "UnknownNodeError",
    "UnknownPortError",
    "UnshapeError",
    "Value",
    "ValueCache",
    "ValueSpec",
    "ValueType",
    "Vec2",
    "Vec3",
    "Vec4",
    "Versioned",
    "Window",
    "Wire",
    "WorkloadHint",
    "as_host_array",
    "check_choice",
    "check_integer",
    "check_number",
    "coerce_value",
    "default_node_registry",
    "graph_from_json",
    "graph_to_json",
    "read_graph",
    "round_to_f32",
    "spec_of",
    "write_graph",
]
