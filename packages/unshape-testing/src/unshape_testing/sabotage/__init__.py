"""Backends that are wrong on purpose, one fault each.

Every law has a twin here on which its check must fail; a check that passes on its twin checks nothing. They wrap a
right backend, so that nothing but the fault differs.
"""

from unshape_testing.sabotage.wrapped import WrappedBackend

__all__ = ["WrappedBackend"]
