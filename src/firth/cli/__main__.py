"""``python -m firth.cli``."""

from firth.cli import main

main()
