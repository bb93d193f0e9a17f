"""Benchmarks: each compares pwtui with a peer in the same run and prints ratios."""
