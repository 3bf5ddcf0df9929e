"""`urlset logs`: access logs and sitemaps → what crawlers request and what is listed, compared."""
