"""Rules on the video extension (V)."""
