"""Writes what is generated from the declarations."""
