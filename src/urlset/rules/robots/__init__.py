"""Rules about a robots.txt file."""
