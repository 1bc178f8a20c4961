"""Write the made parts of packaging/licenses.md, from what is installed and from the registry: `python packaging/licenses.py`.

Install what requirements.lock names before; a package that is missing ends this with its name.
"""

import importlib.metadata
import re
import tomllib
from collections import defaultdict
from pathlib import Path

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "packaging" / "licenses.md"
#: What packages write in other words than SPDX's, or leave out.
SPDX = {
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "3-clause BSD": "BSD-3-Clause",
    "MIT License": "MIT",
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
UNSTATED = {"scikit-posthocs": "MIT", "snakemake-interface-logger-plugins": "MIT"}


def license_of(name: str) -> str:
    """As a package's metadata has it, by SPDX's identifier where it is plain which one is meant."""
    about = importlib.metadata.metadata(name)
    stated = about.get("License-Expression") or ""
    if not stated:
        classes = [line.rsplit(" :: ", 1)[-1] for line in about.get_all("Classifier") or [] if line.startswith("License ::")]
        own = (about.get("License") or "").strip()
        stated = own if own and len(own) < 40 and "\n" not in own else "; ".join(c for c in classes if c != "OSI Approved")
    stated = "; ".join(SPDX.get(part, part) for part in stated.split("; "))
    if not stated or stated.startswith("Copyright"):
        stated = UNSTATED.get(name.lower(), stated or "not stated")
    return stated


def direct() -> str:
    """Packages that pyproject.toml names, each with the extras that bring it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = defaultdict(list)
    for extra, lines in {"": project["dependencies"], **project["optional-dependencies"]}.items():
        for line in lines:
            if (name := Requirement(line).name) != project["name"]:
                extras[name].append(extra)
    rows = [f"| {name} | {', '.join(filter(None, found)) or 'always'} | {license_of(name)} |" for name, found in extras.items()]
    return "\n".join(["| package | extra | license |", "|---|---|---|", *rows])


def locked() -> str:
    """All packages of the lock, by license."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    names = re.findall(r"^([\w.-]+)==", lock, flags=re.MULTILINE)
    found, gpu = defaultdict(list), []
    for name in names:
        if re.match(r"(nvidia|cuda|triton)", name):
            gpu.append(name)
        else:
            found[license_of(name)].append(name)
    rows = [f"| {license} | {', '.join(sorted(found[license]))} |" for license in sorted(found)]
    rows.append(f"| NVIDIA's terms, or as PyTorch says | {', '.join(gpu)} (libraries of PyTorch's GPU build) |")
    return "\n".join(["| license | packages |", "|---|---|", *rows])


def datasets() -> str:
    """Sets of the registry, by license; members of a family and versions of a set together."""
    registry = yaml.safe_load((ROOT / "pulib" / "datasets" / "registry.yaml").read_text(encoding="utf-8"))
    found = defaultdict(list)
    for entry in registry.values():
        if isinstance(entry, dict) and entry.get("license") and entry.get("title"):
            title = re.split(r",(?![^(]*\))", entry["title"])[0]
            if title not in found[entry["license"]]:
                found[entry["license"]].append(title)
    return "\n".join(
        ["| license | data sets |", "|---|---|", *(f"| {key} | {', '.join(found[key])} |" for key in sorted(found))]
    )


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, made in (("direct", direct()), ("locked", locked()), ("datasets", datasets())):
        begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
        head, rest = text.split(begin)
        text = f"{head}{begin}\n{made}\n{end}{rest.split(end)[1]}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
