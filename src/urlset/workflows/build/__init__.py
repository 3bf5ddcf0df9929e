"""`urlset build`: sources → a published set of sitemaps."""
