"""`urlset diff`: two states of a site's sitemaps compared."""
