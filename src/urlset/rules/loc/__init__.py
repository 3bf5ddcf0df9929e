"""Rules about page URLs (family L)."""
