"""What was inserted into a document, for tests that nothing else was changed."""

from __future__ import annotations


def find_insertion(before: bytes, after: bytes) -> bytes | None:
    """Return the bytes that were inserted in one piece; None where anything else was changed."""
    same = (at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other)
    start, size = next(same, min(len(before), len(after))), len(after) - len(before)
    is_insertion = size > 0 and after[start + size :] == before[start:]
    return after[start : start + size] if is_insertion else None
