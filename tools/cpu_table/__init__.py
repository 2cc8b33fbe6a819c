"""The table of processor benchmarks: work, cases, peers. ``tools/bench.py`` measures it."""
