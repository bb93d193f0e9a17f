"""The client of the daemon: finds, starts and connects to it."""
