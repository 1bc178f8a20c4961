"""Load UNSW-NB15 (network flows): the 39 numeric features of the partitioned release."""

from __future__ import annotations

import numpy as np

from pulib._optional import needed_by
from pulib.datasets._source import Prepared, Source
from pulib.datasets._streams import open_stream

with needed_by("UNSW-NB15", extra="studies"):
    import pandas as pd

#: Columns that are not numeric features: the row number, three nominal features, and the two targets.
LEFT_OUT = ("id", "proto", "service", "state", "attack_cat", "label")
CATEGORIES = ("Normal", "Analysis", "Backdoor", "DoS", "Exploits", "Fuzzers", "Generic", "Reconnaissance", "Shellcode", "Worms")


def load_unsw_nb15(source: Source) -> Prepared:
    """Load the files ``options.train`` and ``options.test``, or one of them, which then has no predefined split.

    The target is the attack category, 0 for normal traffic.
    """
    names = [source.options[key] for key in ("train", "test") if key in source.options]
    parts, targets = [], []
    columns: list[str] = []
    for name in names:
        with open_stream(source.file(name)) as stream:
            frame = pd.read_csv(stream, encoding="utf-8-sig", low_memory=False)
        category = frame["attack_cat"].str.strip().map({label: code for code, label in enumerate(CATEGORIES)})
        if category.isna().any() or not np.array_equal(category.to_numpy() > 0, frame["label"].to_numpy() == 1):
            raise ValueError(f"{source.file(name)}: attack_cat and label do not agree, or a category is unknown")
        columns = [str(column) for column in frame.columns if column not in LEFT_OUT]
        parts.append(frame[columns].to_numpy(np.float32))
        targets.append(category.to_numpy(np.int16))
        del frame
    X = source.allocate((sum(map(len, parts)), len(columns)), np.float32)
    start = 0
    for part in parts:
        X[start : start + len(part)] = part
        start += len(part)
    return Prepared(
        X,
        np.concatenate(targets),
        n_train=len(parts[0]) if len(parts) > 1 else None,
        feature_names=columns,
        target_names=dict(enumerate(CATEGORIES)),
    )
