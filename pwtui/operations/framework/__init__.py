"""The framework for operations."""
