"""The offline panel: an interviewer without a model. It asks, keeps and finds; it never claims."""

from .panel import OfflinePanel as OfflinePanel
