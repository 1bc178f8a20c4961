"""The command ``pulab``, whose only errand has a command of its own now."""

from __future__ import annotations

import shlex
import sys


def main() -> int:
    """Name the command that replaced ``pulab bench``; the exit code."""
    words = sys.argv[2:] or ["table.csv", "--label", "labeled"]
    print(f"pulab: `pulab bench` is a command of its own now: {shlex.join(['purank', *words])}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
