"""`urlset audit`: listed pages → what engines make of each, and the causes."""
