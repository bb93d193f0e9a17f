"""Recordings: reading, writing, converting, replaying and comparing them."""
