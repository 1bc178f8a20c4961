"""The single rule that derives seeds from identities."""

from __future__ import annotations

import hashlib
import json


def derive_seed(*identity: str | int) -> int:
    """Derive a 32-bit seed from an identity alone, regardless of when and where the code runs.

    >>> derive_seed("study", "mnist", "standard", 0) == derive_seed("study", "mnist", "standard", 0)
    True
    >>> derive_seed("study", "mnist", "standard", 0) == derive_seed("study", "mnist", "standard", 1)
    False
    """
    text = json.dumps(identity, separators=(",", ":"), ensure_ascii=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def split_seed(study: str, dataset: str, repeat: int | None) -> int:
    """Seed of a repeat's split, shared by all settings, or (``repeat=None``) of what all repeats share."""
    return derive_seed(study, dataset, "split", "shared" if repeat is None else repeat)
