"""Let ``python -m handful`` be the command ``handful``."""

import sys

from handful.cli import main

if __name__ == "__main__":
    sys.exit(main())
