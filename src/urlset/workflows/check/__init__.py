"""`urlset check`: files, folders and addresses → a verdict."""
