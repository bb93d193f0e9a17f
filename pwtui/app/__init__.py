"""The control panel: a Textual app that is a client of the daemon."""
