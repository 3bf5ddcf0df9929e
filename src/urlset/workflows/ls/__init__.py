"""`urlset ls`: sitemaps → the URLs they list."""
