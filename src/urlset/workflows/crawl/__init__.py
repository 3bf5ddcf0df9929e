"""`urlset crawl`: a site → its pages."""
