"""``python -m firth``, and the command ``firth``: as little as possible before Ctrl-C is understood."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from firth.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("error: Interrupted.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
