"""What every operation is made of."""
