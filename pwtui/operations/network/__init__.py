"""Operations on requests, routes, the console and emulation."""
