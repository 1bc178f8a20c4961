"""Record golden numbers: ``python -m tests.golden [NAME ...]``, for kinds and names that contain NAME (default: all).

If numbers or defaults have changed, they are recorded only if the version of the class, task, scheme, or loader (see
:mod:`pulab.plan.versions`) has been raised since. Use ``--anyway``, which skips this check, only if a case itself was wrong.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from typing import Any

from tests.golden import estimators, store
from tests.golden.things import Thing, changed_defaults, things


def _unraised(thing: Thing, old: Mapping[str, Any], moved: Mapping[str, float]) -> str:
    """Say what has changed while its version was not raised; empty if nothing."""
    if thing.declared is None or thing.declared != old.get("version"):
        return ""
    changed = list(changed_defaults(thing, old.get("defaults", {}))) if thing.kind == "estimator" else []
    if changed:
        return f"the default of {changed[0]} has changed and its version is still {thing.declared}"
    return f"numbers have moved and its version is still {thing.declared}" if moved else ""


def main(arguments: list[str]) -> int:
    anyway, parts = "--anyway" in arguments, [a for a in arguments if not a.startswith("--")]
    status = 0
    warnings.simplefilter("ignore")
    for thing in things():
        if parts and not any(part in f"{thing.kind} {thing.name}" for part in parts):
            continue
        old = store.read(*thing)
        found = thing.cases(old["cases"])
        before = {case: entry for case, entry in old["cases"].items() if case in found and "numbers" in entry}
        known = {case: found[case] for case in before}
        moved = thing.moved(known, before)
        unraised = _unraised(thing, old, moved)
        if unraised and not anyway:
            print(f"{thing.kind} {thing.name}: not recorded, since {unraised}", file=sys.stderr)
            status = 1
            continue
        same = not moved and known.keys() == found.keys() == old["cases"].keys()
        content = {"version": thing.declared} if thing.declared is not None else {}
        if thing.kind == "estimator":
            content |= {"defaults": estimators.defaults(thing.name)}
        if same and all(old.get(key) == value for key, value in content.items()):
            continue
        # unchanged numbers keep their digits
        kept = {case: entry for case, entry in before.items() if not thing.moved({case: known[case]}, {case: entry})}
        store.write(*thing, {**content, "cases": {**found, **kept}})
        print(f"{thing.kind} {thing.name}: recorded")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
