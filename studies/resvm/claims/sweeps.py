"""Claims about contaminated sets (section 2.5.6), tuned parameters (2.5.7), and single experiments."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pandas as pd

from pulab.claims.cases import ALPHA, Case, Pair, against, case, case_or_missing, compare, share_of_cases
from pulab.claims.evidence import Evidence, Numbers
from pulab.claims.registry import claim
from studies.resvm.claims.common import AREA, BAGGING, CWSVM, DIGITS, METHODS, RESVM, magnitude

SYNTHETIC = AREA(dataset="circle_noise")
LEVELS = (10, 20, 30, 40, 50, 60)
FLAT_RIVAL = "CWSVM is near chance in both cases (55 and 52%), so it has little left to lose."


def _contaminated(part: str, level: int) -> Numbers:
    """Return areas on the synthetic set with a percentage of P or U contaminated, and 30% of the other one."""
    return SYNTHETIC(setting="sweep_30" if level == 30 else f"sweep_{part}_{level:02d}")


@claim(
    section="2.5.6",
    theme="robustness",
    quote="""In general, contamination in P causes larger performance losses than the same level of contamination in U for
        all algorithms.""",
    part="causes larger performance losses than the same level of contamination in",
    unit="% of levels",
    decimals=0,
)
def contaminated_positives_hurt_more(evidence: Evidence) -> Iterator[Case]:
    """The sentence begins "in general" and ends "for all algorithms". On the synthetic set, for each method and for most levels
    from 10 to 60%, contaminating P loses more mean area than contaminating U, each compared with no contamination of that kind
    and 30% of the other."""
    for method in METHODS:
        yield case_or_missing(evidence.words(method), partial(_hurts_more, evidence, method))


def _hurts_more(evidence: Evidence, method: str) -> Case:
    def mean(part: str, level: int) -> float:
        return float(evidence.values(_contaminated(part, level)(method=method)).mean())

    losses = {part: [mean(part, 0) - mean(part, level) for level in LEVELS] for part in ("p", "u")}
    held = [p > u for p, u in zip(losses["p"], losses["u"], strict=True)]
    return share_of_cases(evidence.words(method), held, datasets=["circle_noise"])


@claim(
    section="2.5.6",
    theme="robustness",
    quote="""As expected, the difference in sensitivity to contamination in P and U is smallest for RESVM in which P and U
        are resampled similarly.""",
    part="is smallest for RESVM in which",
    unit="%",
    holds_in_part=FLAT_RIVAL,
    does_not_hold=FLAT_RIVAL,
)
def least_sensitive(evidence: Evidence) -> Iterator[Case]:
    """On the synthetic set, the absolute mean difference between 60% contamination of U and of P is smaller than either
    rival's."""
    difference = SYNTHETIC(setting="sweep_u_60", less={"setting": "sweep_p_60"}, across=magnitude)
    yield from compare(evidence, against([difference], [CWSVM, BAGGING], RESVM), "greater")


@claim(
    section="2.5.6",
    theme="robustness",
    quote="At high contamination levels, RESVM is the only method that still works well (even at 60%).",
    part="RESVM is the only method that still works well (even at 60%)",
    unit="%",
)
def works_at_60(evidence: Evidence) -> Iterator[Case]:
    """On the synthetic set with 60% of P contaminated, RESVM's mean area is above 80% and the others' are below."""
    area = _contaminated("p", 60)
    pairs: list[Pair] = [(area(method=RESVM), 80.0), (80.0, area(method=CWSVM)), (80.0, area(method=BAGGING))]
    yield from compare(evidence, pairs, "greater")


@claim(
    section="2.5.6",
    theme="robustness",
    quote="""Figure […] illustrates that RESVM and bagging SVM behave in a similar fashion at contamination levels of U up
        to 50% and both outperform class-weighted SVM.""",
    part="both outperform class-weighted SVM",
    unit="%",
    holds_in_part="""With up to 10%, all three methods are within half a point of each other, between 98 and 99; from 20% on, it
        holds.""",
)
def ensembles_outperform_to_50(evidence: Evidence) -> Iterator[Case]:
    """On the synthetic set with up to 50% of U contaminated, the mean areas are above CWSVM's."""
    areas = [_contaminated("u", level) for level in range(0, 60, 10)]
    yield from compare(evidence, against(areas, [BAGGING, RESVM], CWSVM), "greater", shown=["setting"])


@claim(
    section="2.5.7",
    theme="tuning",
    quote="""An interesting observation is that the size of the training sets that are being used decreases for increasing
        contamination.""",
    part="the size of the training sets that are being used decreases for increasing contamination",
    need="most",
    unit="rows",
    decimals=0,
)
def smaller_sets(evidence: Evidence) -> Iterator[Case]:
    """In most cases, digit by digit, the median size of a base model's training set (positives and unlabeled rows together)
    decreases from the supervised to the PU setting and from there to the semi-supervised setting. A tie is not a decrease."""
    for digit in DIGITS:
        for more, less in (("supervised", "pu"), ("pu", "semi")):
            name = f"{evidence.words(digit)}, {more} to {less}"
            yield case_or_missing(name, partial(_shrinks, evidence, name, digit, more, less))


def _shrinks(evidence: Evidence, name: str, digit: str, more: str, less: str) -> Case:
    sizes = [_training_size(evidence, Numbers(dataset=digit, setting=setting, method=RESVM)) for setting in (more, less)]
    return case(name, sizes[1] < sizes[0], *sizes, datasets=[evidence.dataset(digit)])


def _training_size(evidence: Evidence, tuned: Numbers) -> float:
    positives = evidence.values(tuned(metric="best_n_positive"))
    ratio = evidence.values(tuned(metric="best_unlabeled_per_positive"))
    return float((positives * (1.0 + ratio)).median())


@claim(
    section="2.5.7",
    theme="tuning",
    quote="""It exhibits expected behaviour: the maximum value is obtained when the certainty on P relative to U is largest
        (e.g. the pure PU learning setting).""",
    part="the maximum value is obtained when the certainty on",
    need="most",
    does_not_hold="""The weight hardly matters: few positives of a resample are at their bound, values tie, and the search then
        takes the first of the grid (table 2.6).""",
)
def weight_greatest_in_pu(evidence: Evidence) -> Iterator[Case]:
    """In most cases, digit by digit, the median of the tuned w_pos is largest in the PU setting."""
    weight = Numbers(method=RESVM, metric="best_w_positive", across=pd.Series.median)
    pairs = [
        (weight(dataset=digit, setting="pu"), weight(dataset=digit, setting=other))
        for digit in DIGITS
        for other in ("supervised", "semi")
    ]
    yield from compare(evidence, pairs, "greater", shown=["method"])


@claim(
    section="2.5.6",
    theme="robustness",
    quote="""RESVM outperforms bagging SVM for contamination levels of 30–50% but the consistency (width of CI) and
        performance losses of both methods are comparable.""",
    part="RESVM outperforms bagging SVM for contamination levels of 30–50%",
    unit="%",
)
def ahead_at_30_to_50(evidence: Evidence) -> Iterator[Case]:
    """On the synthetic set with 30, 40, and 50% of U contaminated, the mean area is above bagging's."""
    areas = [_contaminated("u", level) for level in (30, 40, 50)]
    yield from compare(evidence, against(areas, RESVM, BAGGING), "greater", shown=["setting"])


@claim(
    section="2.5.4",
    theme="accuracy",
    quote="""The p-value of the Wilcoxon signed-rank test becomes 2×10⁻⁵, while the p-value was insignificant with 20
        repetitions (Table 2.4).""",
    part="the p-value was insignificant with 20 repetitions",
    unit="%",
    holds="""It is insignificant because bagging is ahead: the opposite difference is significant.""",
)
def twenty_repeats(evidence: Evidence) -> Iterator[Case]:
    """In the semi-supervised setting, RESVM is not significantly better than bagging over twenty repeats of covtype (Wilcoxon's
    test, one-sided, 5%)."""
    area = AREA(dataset="covtype", setting="semi", first_repeats=20)
    for found in compare(evidence, against([area], RESVM, BAGGING), "greater", test="wilcoxon", least=20):
        status = found.status if math.isnan(found.pvalue) else "holds" if found.pvalue >= ALPHA else "fails"
        yield replace(found, status=status, one_sided=False, absence=True)


@claim(
    section="2.5.4",
    theme="accuracy",
    quote="""The p-value of the Wilcoxon signed-rank test becomes 2×10⁻⁵, while the p-value was insignificant with 20
        repetitions (Table 2.4).""",
    part="The p-value of the Wilcoxon signed-rank test becomes",
    unit="%",
    also={"lodgepole pine as positive class": {"dataset": "covtype_lodgepole"}},
    does_not_hold="""Over 100 repeats, bagging is ahead by five points. With lodgepole pine as the positive class, RESVM is
        ahead over twenty repeats (table_repeats).""",
)
def hundred_repeats(evidence: Evidence, dataset: str = "covtype") -> Iterator[Case]:
    """It becomes 2×10⁻⁵ with 100 repeats of covtype, in the semi-supervised setting. We test RESVM against bagging over 100
    repeats (Wilcoxon's test, one-sided, 5%)."""
    area = AREA(dataset=dataset, setting="semi", first_repeats=100)
    yield from compare(evidence, against([area], RESVM, BAGGING), "greater", test="wilcoxon", least=100)


@claim(
    section="2.6",
    theme="tuning",
    quote="""A weakness of RESVM is its amount of hyperparameters (5 plus potential kernel parameters), though RESVM models
        are less sensitive to accurate tuning of these parameters than standard SVM.""",
    part="RESVM models are less sensitive to accurate tuning of these parameters than standard SVM",
    unit="points",
)
def less_sensitive_to_tuning(evidence: Evidence) -> Iterator[Case]:
    """On MNIST, in the PU and semi-supervised settings, RESVM's mean area changes less than CWSVM's between the main grids and
    those chosen by a rule."""
    for name in DIGITS:
        for setting in ("pu", "semi"):
            words = f"{evidence.words(name, setting)}"
            yield case_or_missing(words, partial(_moves_less, evidence, words, AREA(dataset=name, setting=setting)))


def _moves_less(evidence: Evidence, words: str, area: Numbers) -> Case:
    """Compare how far the means move from the main grid to the one chosen by a rule; RESVM's should move less than CWSVM's."""
    moved = []
    for method in (CWSVM, RESVM):
        blind, main = (evidence.values(area(method=f"{method}{grid}")) for grid in ("_blind", ""))
        moved.append(abs(float((blind - main).dropna().mean())))
    return case(words, moved[1] < moved[0], *moved, datasets=[str(area.dataset)])
