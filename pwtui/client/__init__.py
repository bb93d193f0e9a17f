"""Finds, starts and speaks to the daemon; what every surface uses."""
