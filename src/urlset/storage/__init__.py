"""The only door to object stores."""
