"""What can go wrong, as one tree.

RoundtableError
├── RuleBroken          the caller's fault; carries what is allowed instead; nothing changed
└── OutsideFailure      the world's fault; says what failed, what is saved and what to do next
    ├── DiskFailed      a file could not be read or written
    ├── ItemLocked      another process holds the item
    ├── ItemCorrupt     a file that we keep cannot be trusted
    ├── ItemUnknown     a name fits no item, or several
    ├── ContentBroken   no usable personas or steps are left
    ├── PanelFailed     the panel gave no words
    └── TrackerFailed   a tracker gave no issue
"""


class RoundtableError(Exception):
    """Anything that Roundtable raises on purpose; its text is written for people."""


class RuleBroken(RoundtableError):
    """A move that the rules do not allow; `legal` names those that they allow."""

    def __init__(self, message: str, legal: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.legal = legal

    def __str__(self) -> str:
        message = str(self.args[0])
        return f"{message} Legal now: {', '.join(self.legal)}." if self.legal else message


class OutsideFailure(RoundtableError):
    """A failure outside the rules: what failed, what is saved, and what to do next."""

    def __init__(self, failed: str, *, saved: str = "", do: str = "") -> None:
        super().__init__(" ".join(part for part in (failed, saved, do) if part))
        self.failed, self.saved, self.do = failed, saved, do


class DiskFailed(OutsideFailure): ...


class ItemLocked(OutsideFailure): ...


class ItemCorrupt(OutsideFailure): ...


class ItemUnknown(OutsideFailure): ...


class ContentBroken(OutsideFailure): ...


class PanelFailed(OutsideFailure): ...


class TrackerFailed(OutsideFailure): ...
