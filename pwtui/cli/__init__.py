"""The `pw` command."""
