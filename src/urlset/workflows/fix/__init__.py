"""`urlset fix`: damaged sitemaps → fixed files, each change proven."""
