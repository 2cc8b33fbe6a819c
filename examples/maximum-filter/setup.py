"""The extension is built against the headers of unshape-simd-cffi."""

from setuptools import setup

setup(cffi_modules=["build_maximum.py:ffi"])
