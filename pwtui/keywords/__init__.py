"""The keyword language: lines to requests, and requests to lines."""
