"""Rules about page addresses (family L)."""
