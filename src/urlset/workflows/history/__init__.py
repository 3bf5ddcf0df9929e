"""`urlset history`: a site's sitemaps over time, from snapshots."""
