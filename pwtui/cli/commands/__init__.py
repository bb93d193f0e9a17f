"""The subcommands of `pw`."""
