"""`python -m roundtable`."""

import sys

from .surfaces.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
