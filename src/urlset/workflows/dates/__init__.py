"""`urlset dates`: a built site → honest dates in its sitemaps, and the lock that remembers them."""
