"""Sentences of the RESVM chapter that need more than one comparison: each can hold and can fail, and says what it lacks."""

import numpy as np
import pandas as pd
import pytest

from pulab.claims import Evidence, Missing
from pulab.trials import results
from pulab.trials.trial import TrialResult
from studies.resvm.claims import common, drops
from studies.resvm.claims.common import METHODS
from tests.studies.claimed import evidence_of, statuses


def areas(semi):
    """All methods at 0.9 in the PU setting, and as given in the semi-supervised one."""
    tasks = ["mnist_digit_0", "mnist_digit_1", "cancer"]
    values = {(task, "pu", method, "pr_auc"): 0.9 for task in tasks for method in METHODS}
    return evidence_of(values | {(t, "semi", m, "pr_auc"): a for t in tasks for m, a in zip(METHODS, semi, strict=True)})


@pytest.mark.parametrize(
    ("semi", "expected"),
    [
        ((0.7, 0.75, 0.88), ["holds", "holds", "holds"]),
        # a margin is not a drop: bagging keeps what it has, far below or above RESVM
        ((0.7, 0.85, 0.88), ["holds", "fails", "holds"]),
        ((0.7, 0.75, 0.8), ["holds", "holds", "fails"]),
    ],
)
def test_a_dramatic_drop_is_a_drop(semi, expected):
    assert statuses(drops.dramatic_drop(areas(semi))) == expected


def test_wins_are_counted_and_cancer_is_the_exception():
    def scores(*cwsvm):
        """CWSVM's areas on a digit and on cancer, supervised and then in the PU setting; the others have 0.5 and 0.4."""
        places = [(t, s) for s in ("supervised", "pu") for t in ("mnist_digit_0", "cancer")]
        values = {(t, s, m, "pr_auc"): a for t, s in places for m, a in (("resvm_bag", 0.5), ("resvm_resvm", 0.4))}
        return evidence_of(values | {(*p, "resvm_cwsvm", "pr_auc"): a for p, a in zip(places, cwsvm, strict=True)})

    assert statuses(drops.cwsvm_fewer_wins(scores(0.9, 0.9, 0.1, 0.9))) == ["holds", "holds", "holds"]
    assert statuses(drops.cwsvm_fewer_wins(scores(0.1, 0.9, 0.9, 0.1))) == ["fails", "fails", "fails"]


def curves(below, n=20):
    steps = np.arange(201)
    made = []
    for repeat in range(n):
        for method in METHODS:
            precision = np.linspace(1.0, 0.5, 201) - (0.1 if method != "resvm_resvm" else 0.0)
            if method == "resvm_resvm" and repeat < below:
                precision[:100] = 0.0
            own = TrialResult(scalars={"pr_auc": 0.5}, series={"curve_precision": (steps, precision)})
            made.append(results.result_rows(("p", "mnist_digit_7", "semi", method, repeat), own))
    return Evidence(results.concat(made, results.COLUMNS), results.concat([], results.TIMING_COLUMNS))


def test_curves_dominate_in_most_of_twenty_repeats_or_are_not_there():
    seven = slice(14, 16)
    assert statuses(drops.curve_dominates(curves(below=3)))[seven] == ["holds", "holds"]
    assert statuses(drops.curve_dominates(curves(below=12)))[seven] == ["fails", "fails"]
    cases = list(drops.curve_dominates(curves(below=0, n=1)))
    assert set(statuses(cases)) == {"not available"}
    assert cases[14].reason == "curves of mnist_digit_7 are stored for 1 of 20 repeats"
    assert len(list(drops.dominates_in_most_experiments(curves(below=0)))) == 34


def test_curves_of_the_repeats_that_both_have():
    """One method's curves are kept of fewer repeats than the other's."""
    evidence = curves(below=3, n=25)
    fewer = evidence.results[(evidence.results["method"] != "resvm_cwsvm") | (evidence.results["repeat"] >= 4)]
    evidence = Evidence(fewer, evidence.timings)
    assert drops._dominates(evidence, "mnist_digit_7", "resvm_cwsvm").n == 21
    assert drops._dominates(evidence, "mnist_digit_7", "resvm_bag").n == 25


def test_spreads_need_five_repeats_and_magnitudes_have_no_sign():
    values = pd.Series([-0.3, -0.1, -0.2, -0.4, -0.5])
    assert common.spread(values) == pytest.approx(np.std(values, ddof=1))
    with pytest.raises(Missing, match="a spread needs 5"):
        common.spread(values[:4])
    assert common.magnitude(values) == common.magnitude(-values) == pytest.approx(0.3)
