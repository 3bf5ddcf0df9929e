"""Shared parts of the rules on images, videos, and news; contains no rules."""
