"""`urlset mcp`: the verbs of urlset → tools for agents."""
