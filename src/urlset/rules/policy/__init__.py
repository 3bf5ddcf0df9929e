"""What a site's own settings forbid or require, without any Python."""
