"""Browsers: finding, launching, attaching, pooling; tabs and elements. Playwright lives here."""
