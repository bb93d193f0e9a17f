"""Finding, starting and connecting to browsers."""
