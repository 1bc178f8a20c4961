"""The command ``purank``, which needs more than the library does: the extra ``rank``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command and return its exit code."""
    try:
        from purank.command import main as command
    except ModuleNotFoundError as missing:
        print(f"purank: {missing}. Install what it needs, in a clone of pulib: pip install -e '.[rank]'", file=sys.stderr)
        return 1
    return command()


if __name__ == "__main__":
    raise SystemExit(main())
