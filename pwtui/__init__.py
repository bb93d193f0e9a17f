"""pwtui: the terminal control panel for browser automation."""

__version__ = "0.1.0"
