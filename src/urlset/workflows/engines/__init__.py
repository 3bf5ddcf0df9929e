"""`urlset engines`: what search engines report, compared with what the site serves."""
