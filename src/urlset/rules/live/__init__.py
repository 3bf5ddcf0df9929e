"""Codes that need a live page or an account with an engine: they come with auditing and submitting."""
