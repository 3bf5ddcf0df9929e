"""`urlset publish`: a folder → an object store."""
