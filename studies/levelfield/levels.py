"""The settings of each question, and what tables and figures call them."""

from __future__ import annotations

from typing import NamedTuple

from studies.levelfield.study import ESTIMATORS, N_LABELS

MEASURES = ("accuracy", "auc")
REFERENCES = {"two_sample": "two samples", "one_sample": "one sample"}
LABELS = {f"labels_{n}": str(n) for n in N_LABELS}
BIASED = {
    "biased_1": "clear, k = 1",
    "biased_3": "clear, k = 3",
    "biased_10": "clear, k = 10",
    "biased_border": "doubtful, k = 10",
}
WRONG = {f"wrong_{p:02}": f"{p}%" for p in (5, 10, 20, 30)}
PRIORS = {"prior_060": "0.6", "prior_080": "0.8", "two_sample": "1", "prior_120": "1.2", "prior_140": "1.4"}
ESTIMATED = {f"prior_estimated_{name}": label for name, label in ESTIMATORS.items()}
#: By learner, how it was before.
BEFORE = {"lf_adapu": "lf_adapu_before", "lf_naive_lr": "lf_naive_lr_before", "lf_cwsvm": "lf_cwsvm_before"}


class Switched(NamedTuple):
    """A setting that is compared with a reference, and what it is called."""

    reference: str
    label: str


SWITCHED = {
    "switched_two": Switched("one_sample", "one sample, fitted as two"),
    "switched_one": Switched("two_sample", "two samples, fitted as one"),
}
