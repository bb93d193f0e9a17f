"""The keyword language: what a person types, as requests, and requests as what a person types."""
