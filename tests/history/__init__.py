"""Tests of the history without a daemon."""
