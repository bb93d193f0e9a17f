"""Benchmarks: each measures against a peer in the same run, and prints ratios."""
