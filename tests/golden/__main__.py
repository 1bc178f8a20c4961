"""Record golden numbers: ``python -m tests.golden [NAME ...]``, where NAME is a part of what is recorded (all without one).

Numbers that have moved, and defaults that have changed, are recorded only where the version of the class, task, scheme or
loader (:mod:`pulab.plan.versions` says where it stands) has been raised since they were recorded; ``--anyway`` records them in
any case, which is right for a case that was wrong, and for nothing else.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from typing import Any

from tests.golden import estimators, store
from tests.golden.things import Thing, changed_defaults, things


def _unraised(thing: Thing, old: Mapping[str, Any], moved: Mapping[str, float]) -> str:
    """What of the declared versions has to be raised first; empty where all of them are."""
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
        # what has not moved keeps its digits
        kept = {case: entry for case, entry in before.items() if not thing.moved({case: known[case]}, {case: entry})}
        store.write(*thing, {**content, "cases": {**found, **kept}})
        print(f"{thing.kind} {thing.name}: recorded")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
