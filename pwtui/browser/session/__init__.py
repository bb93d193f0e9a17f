"""Browser sessions: tabs, dialogs, network, console and emulation."""
