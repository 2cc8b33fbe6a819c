"""The types of wgpu's library that opening a device asks for, read all at once.

wgpu names C types by texts, and cffi reads each text when it is first met: with a C parser in Python, and with the
names of all types of the header before it, some 12 ms for each of more than forty. One declaration of all of them takes
as long as two, and cffi keeps what each text stands for.
"""

from __future__ import annotations

import logging
from typing import Any

_log = logging.getLogger("unshape_gpu")

_STRUCTURES = (
    "AdapterInfo",
    "BindGroupDescriptor",
    "BindGroupLayoutDescriptor",
    "BindGroupLayoutEntry",
    "BufferBindingLayout",
    "BufferDescriptor",
    "BufferMapCallbackInfo",
    "ChainedStruct",
    "CommandBuffer",
    "CommandBufferDescriptor",
    "CommandEncoderDescriptor",
    "ComputePassDescriptor",
    "ComputePipelineDescriptor",
    "ComputeState",
    "DeviceDescriptor",
    "DeviceExtras",
    "DeviceLostCallbackInfo",
    "InstanceDescriptor",
    "InstanceExtras",
    "Limits",
    "NativeLimits",
    "PipelineLayoutDescriptor",
    "QuerySetDescriptor",
    "QueueDescriptor",
    "QueueWorkDoneCallbackInfo",
    "RequestDeviceCallbackInfo",
    "ShaderModuleDescriptor",
    "ShaderSourceWGSL",
    "UncapturedErrorCallbackInfo",
)
_ARRAYS = ("Adapter", "BindGroupEntry", "BindGroupLayout", "BindGroupLayoutEntry", "FeatureName")
_MESSAGE = "WGPUStringView, void *, void *"

POINTERS = (*(f"WGPU{name} *" for name in _STRUCTURES), "WGPUChainedStruct * ", "uint64_t *", "void *")
ARRAYS = (*(f"WGPU{name}[]" for name in _ARRAYS), "char []", "uint32_t[]")
FUNCTIONS = (
    f"void(WGPUDevice const *, WGPUDeviceLostReason, {_MESSAGE})",
    f"void(WGPUDevice const *, WGPUErrorType, {_MESSAGE})",
    f"void(WGPUMapAsyncStatus, {_MESSAGE})",
    f"void(WGPUQueueWorkDoneStatus, {_MESSAGE})",
    f"void(WGPURequestDeviceStatus, WGPUDevice, {_MESSAGE})",
)
NUMBERS = ("uintptr_t",)


def read_types(ffi: Any) -> None:
    """Read the types at once; where that is not possible, each is read when it is met.

    Parameters
    ----------
    ffi : cffi FFI
        That of wgpu.
    """
    names = (*POINTERS, *ARRAYS, *FUNCTIONS, *NUMBERS)
    try:
        fields = [_field(text, f"field_{number}") for number, text in enumerate(names)]
        ffi.cdef(f"struct unshape_types {{ {' '.join(fields)} }};")
        types = [field.type for _, field in ffi.typeof("struct unshape_types").fields]
        known: dict[str, tuple[Any, bool]] = ffi._parsed_types
    except Exception as error:  # of another version of wgpu or cffi
        _log.debug("types of wgpu are read one by one: %s", error)
        return
    for text, type_ in zip(names, types, strict=True):
        known.setdefault(text, (type_.item if text in ARRAYS else type_, text in FUNCTIONS))


def _field(text: str, name: str) -> str:
    """Return the declaration of a member: arrays of no length and functions stand behind a pointer."""
    if text in ARRAYS:
        return f"{text.removesuffix('[]')} (*{name})[];"
    if text in FUNCTIONS:
        return text.replace("void(", f"void (*{name})(", 1) + ";"
    return f"{text} {name};"
