"""The offline panel: an interviewer without a model or a network. It asks, keeps and finds; it never claims.

Importing this package reads nothing; the prompts are loaded with the first request.
"""

from __future__ import annotations

from .panel import OfflinePanel

__all__ = ["OfflinePanel"]
