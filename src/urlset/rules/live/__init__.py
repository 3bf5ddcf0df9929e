"""Rules about what servers answer: listed pages, their images and videos, and what a crawl of the site finds."""
