"""The functions of `import urlset` → the same workflows as the commands."""
