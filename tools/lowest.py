"""The lowest version of every dependency of Firth that ``pyproject.toml`` allows, as pip's constraints."""

from __future__ import annotations

import re

from check_wheels import requirements

if __name__ == "__main__":
    for requirement in requirements():
        found = re.match(r"([\w.-]+)>=([\w.]+)", requirement)
        if found is None:
            raise SystemExit(f"no lower bound: {requirement}")
        print(f"{found[1]}=={found[2]}")
