"""The one rule from what a thing is to its seed."""

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


def split_seed(study: str, dataset: str, repeat: int | None) -> int:
    """The seed of a repeat's split, or of what all repeats share; settings of one repeat share their draw."""
    return derive_seed(study, dataset, "split", "shared" if repeat is None else repeat)
