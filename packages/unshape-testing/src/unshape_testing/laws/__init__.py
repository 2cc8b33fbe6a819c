"""The laws of conformance as plain functions: each returns if its subject keeps the law and raises if it does not.

The suites (:mod:`unshape_testing.backend_suite` and its siblings) call them as tests; the twins in
:mod:`unshape_testing.sabotage` break one law each and show that it is noticed.
"""
