"""Resolves the settings of a request from its overrides, the profile and the defaults."""
