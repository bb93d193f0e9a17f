"""The panel's Textual widgets: each is given data and posts messages."""
