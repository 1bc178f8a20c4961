"""Sentences of the PU Extra Trees paper that need more than one comparison: each can hold and can fail."""

import pandas as pd

from studies.puet.claims import _visible, little_tuning, strong_beside_networks
from tests.studies.claimed import evidence_of, statuses


def test_visible_pixels_are_above_a_tenth_of_the_greatest():
    assert _visible(pd.Series([0.20, 1.00, 0.99, 0.05])) == 3


def test_each_network_counts_by_itself():
    networks = {"upu_mlp": 0.5, "nnpu_mlp": 0.85, "self_pu": 0.95}
    values = {("mnist", "standard", m, k): a for m, a in networks.items() for k in ("accuracy", "f_score")}
    values |= {("mnist", "standard", "puet_nnpu_quadratic", k): 0.9 for k in ("accuracy", "f_score")}
    assert statuses(strong_beside_networks(evidence_of(values))) == ["holds", "holds", "fails"]


def test_little_tuning_is_about_every_choice():
    values = {
        ("mnist", f"features_{f}", "puet_nnpu_quadratic", f"accuracy_{t}"): 0.9 for f in ("all", "sqrt", "one") for t in (1, 10)
    }
    assert statuses(little_tuning(evidence_of(values))) == ["holds"] * 6
    values["mnist", "features_one", "puet_nnpu_quadratic", "accuracy_1"] = 0.8
    assert statuses(little_tuning(evidence_of(values))).count("fails") == 1
    assert statuses(little_tuning(evidence_of({}))) == ["pending"]
