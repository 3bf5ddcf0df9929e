"""Rules about the structure of a sitemap, its formats and namespaces (family S)."""
