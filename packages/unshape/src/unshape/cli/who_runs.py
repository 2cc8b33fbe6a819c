"""Which backends run a node type, and how."""

from __future__ import annotations


def who_runs(type_name: str) -> dict[str, str]:
    """Return for each available backend what it has for a node type."""
    from unshape.session import default_session
    from unshape_backend.identity import REFERENCE, family
    from unshape_backend.kernel_library import KernelLibrary
    from unshape_core.node_registry import default_node_registry

    node_type = default_node_registry().types()[type_name]
    has_body = hasattr(node_type, "body")
    library = KernelLibrary()
    answers: dict[str, str] = {}
    for entry in default_session().registry.snapshot().entries:
        kernels = library.load(family(entry.id)).of(type_name)
        if kernels:
            answers[entry.id] = f"a kernel of its own, from {', '.join(sorted({each.origin for each in kernels}))}"
        elif has_body:
            answers[entry.id] = "its expression"
        elif entry.id == REFERENCE and hasattr(node_type, "execute"):
            answers[entry.id] = "its definition in NumPy"
        else:
            answers[entry.id] = "not here"
    return answers
