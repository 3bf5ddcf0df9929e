"""Rules about the structure of a sitemap, its formats, and its namespaces (family S)."""
