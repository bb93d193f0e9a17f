"""How profile, override and fallback become what a request runs with."""
