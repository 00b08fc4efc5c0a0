"""`python -m roundtable`."""

from __future__ import annotations

import sys

from .surfaces.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
