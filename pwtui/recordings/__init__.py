"""Recordings: read, written, converted, replayed and compared, whatever their format."""
