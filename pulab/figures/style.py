"""One color and marker per method in all figures of all studies."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from pulib.plots import PALETTE

BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, BLACK, BROWN = PALETTE
#: Markers of methods; the diamond belongs to published values alone.
METHOD_MARKERS = ("o", "s", "^", "v", "P", "X", "*", "<", ">", "p", "h")
PUBLISHED_MARKER = "D"


class Look(NamedTuple):
    """Color and marker of a method."""

    color: str
    marker: str


# Methods that are drawn together differ in both; variants of a method that are drawn apart from it keep its color.
_LOOKS = {
    "puet_nnpu_quadratic": Look(BLUE, "o"),
    "puet_nnpu_logistic": Look(SKY, "o"),
    "puet_upu_quadratic": Look(BLUE, "s"),
    "puet_upu_logistic": Look(SKY, "s"),
    "pn_et": Look(BROWN, "s"),
    "supervised_et": Look(BLACK, "X"),
    "naive_et": Look(ORANGE, "v"),
    "pu_bagging_et": Look(PINK, "^"),
    "adapu": Look(VERMILION, "s"),
    "adapu_best": Look(BLACK, "P"),
    "adapu_cnn": Look(VERMILION, "*"),
    "pn_adaboost": Look(BLACK, "v"),
    "pn_gbdt": Look(BLUE, "^"),
    "pn_xgboost": Look(SKY, "P"),
    "pn_xgboost_old": Look(SKY, "X"),
    "nnpu_mlp": Look(GREEN, "^"),
    "nnpu_cnn": Look(BLUE, "v"),
    "nnpu_linear": Look(PINK, "<"),
    "upu_mlp": Look(ORANGE, ">"),
    "upu_cnn": Look(ORANGE, "p"),
    "upu_linear": Look(BROWN, "<"),
    "self_pu": Look(BLACK, "*"),
    "upu_dh": Look(BLACK, "o"),
    "upu_sl": Look(BROWN, "o"),
    "opu_dh": Look(VERMILION, "^"),
    "opu_dh_eq6": Look(ORANGE, "v"),
    "opu_batch_dh": Look(BLUE, "s"),
    "opu_batch_dh_eq6": Look(SKY, "P"),
    "opu_sl": Look(GREEN, "P"),
    "opu_lr": Look(PINK, "X"),
    "opu_exact_dh": Look(VERMILION, "<"),
    "opu_exact_sl": Look(GREEN, ">"),
    "opu_exact_lr": Look(PINK, "*"),
    "sgbdota_1_pruned": Look(BLUE, "o"),
    "sgbdota_2_pruned": Look(VERMILION, "s"),
    "sgbdota_3_pruned": Look(GREEN, "^"),
    "sgbdota_1_initial": Look(BLUE, "<"),
    "sgbdota_2_initial": Look(VERMILION, ">"),
    "sgbdota_3_initial": Look(GREEN, "p"),
    "get_ensemble": Look(PINK, "X"),
    "pu_svm": Look(ORANGE, "v"),
    "sgbauc_pruned": Look(BLACK, "P"),
    "random_forest_100": Look(SKY, "*"),
    "random_ranking": Look(BROWN, "h"),
    "resvm_resvm": Look(GREEN, "^"),
    "resvm_bag": Look(VERMILION, "s"),
    "resvm_cwsvm": Look(BLUE, "o"),
}
# Methods of the level field that a study draws too, though with its own protocol and perhaps other parameters.
_OF_STUDIES = {
    "lf_pu_et": "puet_nnpu_quadratic",
    "lf_adapu": "adapu",
    "lf_auc_boosting": "sgbauc_pruned",
    "lf_get_ensemble": "get_ensemble",
    "lf_opu": "opu_dh",
    "lf_upu": "upu_dh",
    "lf_cwsvm": "resvm_cwsvm",
    "lf_bagging_svm": "resvm_bag",
    "lf_resvm": "resvm_resvm",
    "lf_pu_svm": "pu_svm",
    "lf_nnpu": "nnpu_mlp",
    "lf_upu_mlp": "upu_mlp",
    "lf_self_pu": "self_pu",
}


def color_in_studies(method: str) -> str | None:
    """The color that the figures of the papers' studies give to a method of the level field, where they draw it.

    >>> color_in_studies("lf_resvm") == looks(["resvm_resvm"])["resvm_resvm"].color
    True
    """
    return _LOOKS[_OF_STUDIES[method]].color if method in _OF_STUDIES else None


def looks(methods: Iterable[str]) -> dict[str, Look]:
    """The look of each method of one figure; methods that have none of their own take those that are left, in their order.

    >>> looks(["resvm_resvm", "mine"])
    {'resvm_resvm': Look(color='#009E73', marker='^'), 'mine': Look(color='#0072B2', marker='o')}
    """
    methods = list(dict.fromkeys(methods))
    fixed = {method: _LOOKS[method] for method in methods if method in _LOOKS}
    taken = set(fixed.values())
    # colors and markers both change from one to the next
    n = len(METHOD_MARKERS)
    spread = (Look(PALETTE[k], METHOD_MARKERS[(k + shift) % n]) for shift, k in product(range(n), range(len(PALETTE))))
    left = (look for look in spread if look not in taken)
    return {method: fixed[method] if method in fixed else next(left) for method in methods}
