"""Open browsers: sessions, tabs and what is attached to them."""
