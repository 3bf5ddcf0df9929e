"""What the rules on images, videos and news share; no rules of its own."""
