"""What each operation does, one module for each family."""
