"""The panel's screens."""
