"""Which removed URL became which added one, and what shows it."""
