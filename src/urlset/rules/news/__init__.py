"""Rules on the news extension (N)."""
