"""The host panel: another program gives the personas their words, and what it sends is checked."""

from .panel import HostPanel

__all__ = ["HostPanel"]
