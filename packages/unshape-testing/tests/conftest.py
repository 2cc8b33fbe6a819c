"""Runs of pytest inside of tests."""

pytest_plugins = ["pytester"]
