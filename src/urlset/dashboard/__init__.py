"""`urlset serve`: a state folder → web pages about its sites, for people who may see them."""
