"""The actions of the panel, one module per subject."""
