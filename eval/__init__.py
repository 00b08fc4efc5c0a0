"""Measures panels on real items, through the real session. Not shipped with the package."""
