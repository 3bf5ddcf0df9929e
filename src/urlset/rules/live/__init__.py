"""Rules about server responses: listed pages, their images and videos, and the results of a crawl."""
