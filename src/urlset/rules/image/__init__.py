"""Rules on the image extension (M)."""
