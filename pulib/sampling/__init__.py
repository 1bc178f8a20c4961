"""From a labeled data set to a PU problem: which rows are labeled positive, unlabeled, and kept for testing."""

from typing import Any

from pulib.sampling._split import Split, load_splits, make_splits, save_splits, splitter_names

__all__ = ["Split", "load_splits", "make_splits", "save_splits", "splitter_names"]

_HOME = {
    "adapu_split": "_adapu",
    "biased_split": "_mechanisms",
    "case_control_split": "_case_control",
    "censored_split": "_censored",
    "contaminated_split": "_contaminated",
    "expansion_split": "_expansion",
    "given_split": "_given",
    "label_biased": "_mechanisms",
    "label_one_sample": "_mechanisms",
    "label_two_sample": "_mechanisms",
    "label_wrong": "_mechanisms",
    "mechanism_split": "_mechanism_split",
}
__all__ += list(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        import importlib

        return getattr(importlib.import_module(f"pulib.sampling.{_HOME[name]}"), name)
    raise AttributeError(f"module 'pulib.sampling' has no attribute {name!r}")
