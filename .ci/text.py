"""No blanks at the ends of lines, and one newline at the end of a file: `python .ci/text.py FILE...` mends what it finds."""

import re
import sys
from pathlib import Path


def mended(text: str) -> str:
    """``text`` without blanks before a newline, and with one newline at its end if it is not empty."""
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip("\n")
    return f"{text}\n" if text else text


def main(files: list[str]) -> int:
    changed = []
    for file in map(Path, files):
        text = file.read_bytes().decode("utf-8")
        if (new := mended(text.replace("\r\n", "\n"))) != text:
            file.write_bytes(new.encode("utf-8"))
            changed.append(str(file))
    print(*(f"mended {file}" for file in changed), sep="\n", end="\n" if changed else "")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
