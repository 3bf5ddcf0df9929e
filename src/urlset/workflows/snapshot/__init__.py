"""`urlset snapshot`: a site's sitemaps as they are now, kept for later."""
