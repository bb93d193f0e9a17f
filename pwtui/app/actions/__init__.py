"""What the panel does for a person, one module for each subject."""
