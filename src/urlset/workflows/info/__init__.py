"""`urlset info`: documents → a description of each."""
