"""Rules about sitemap indexes (family I)."""
