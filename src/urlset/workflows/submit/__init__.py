"""`urlset submit`: live sitemaps → submissions to search engines, each with a receipt."""
