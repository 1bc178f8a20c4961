"""Load forest cover types (UCI ``covtype.data.gz``)."""

from __future__ import annotations

import numpy as np

from pulib._optional import needed_by
from pulib.datasets._source import Prepared, Source
from pulib.datasets._streams import open_stream

with needed_by("covtype", extra="studies"):
    import pandas as pd

ROWS = 50_000

_MEASURED = [
    "Elevation",
    "Aspect",
    "Slope",
    "Horizontal_Distance_To_Hydrology",
    "Vertical_Distance_To_Hydrology",
    "Horizontal_Distance_To_Roadways",
    "Hillshade_9am",
    "Hillshade_Noon",
    "Hillshade_3pm",
    "Horizontal_Distance_To_Fire_Points",
]
FEATURES = [*_MEASURED, *(f"Wilderness_Area{k}" for k in range(1, 5)), *(f"Soil_Type{k}" for k in range(1, 41))]


def load_covtype(source: Source) -> Prepared:
    """Load 54 integer features as float32; the target is the cover type, 1 to 7."""
    path = source.files()[0]
    with open_stream(path) as stream:
        n = sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b""))
    X = source.allocate((n, len(FEATURES)), np.float32)
    target = np.empty(n, np.int16)
    start = 0
    with open_stream(path) as stream:
        for block in pd.read_csv(stream, header=None, dtype=np.int16, chunksize=ROWS):
            values = block.to_numpy()
            X[start : start + len(values)] = values[:, :-1]
            target[start : start + len(values)] = values[:, -1]
            start += len(values)
    return Prepared(X, target, feature_names=FEATURES)
