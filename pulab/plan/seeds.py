"""The seed rule: from what a thing is to the random numbers that it draws.

A module of its own, since a change here changes every result: its version is part of the identity of all trials
(:data:`pulab.plan.versions.SEEDS`).
"""

from __future__ import annotations

import hashlib
import json


def derive_seed(*identity: str | int) -> int:
    """A 32-bit seed from what a thing IS, never from when or where it runs.

    >>> derive_seed("study", "mnist", "standard", 0) == derive_seed("study", "mnist", "standard", 0)
    True
    >>> derive_seed("study", "mnist", "standard", 0) == derive_seed("study", "mnist", "standard", 1)
    False
    """
    text = json.dumps(identity, separators=(",", ":"), ensure_ascii=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def trial_seed(study: str, dataset: str, setting: str, method: str, repeat: int) -> int:
    """The seed of everything that the method of a trial draws."""
    return derive_seed(study, dataset, setting, method, repeat)


def shared_seed(study: str, dataset: str, setting: str, repeat: int) -> int:
    """A seed that all methods of a (study, data set, setting, repeat) share."""
    return derive_seed(study, dataset, setting, "shared", repeat)


def split_seed(study: str, dataset: str, repeat: int | None) -> int:
    """The seed of a repeat's split, or of what all repeats share; settings of one repeat share their draw."""
    return derive_seed(study, dataset, "split", "shared" if repeat is None else repeat)
