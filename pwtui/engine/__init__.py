"""The executor: one way from a request to its response."""
