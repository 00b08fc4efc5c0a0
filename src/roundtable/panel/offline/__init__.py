"""The offline panel: rule-based, deterministic, without a network. Importing it reads nothing."""

from __future__ import annotations

from .panel import OfflinePanel

__all__ = ["OfflinePanel"]
