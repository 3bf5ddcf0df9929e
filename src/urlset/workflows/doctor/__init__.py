"""`urlset doctor`: why does a search engine not read this sitemap?"""
