"""The command ``pulab``, which needs more than the library does: the extra ``studies``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command; its exit code."""
    try:
        from pulab.bench.command import main as command
    except ModuleNotFoundError as missing:
        print(f"pulab: {missing}. Install what it needs, in a clone of pulib: pip install -e '.[studies]'", file=sys.stderr)
        return 1
    return command()


if __name__ == "__main__":
    raise SystemExit(main())
