"""`urlset explain`: one URL → why it is listed or not."""
