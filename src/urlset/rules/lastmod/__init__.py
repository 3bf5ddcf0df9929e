"""Rules about lastmod (family D)."""
