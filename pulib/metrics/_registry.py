"""The public functions by name, called with what each of them takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils._param_validation import validate_parameter_constraints

from pulib.metrics._at_k import proxy_lift_at_k, proxy_precision_at_k
from pulib.metrics._estimates import proxy_average_precision, proxy_f1, proxy_precision, proxy_recall
from pulib.metrics._formulas import FORMULAS
from pulib.metrics._scores import proxy_accuracy, proxy_auc, pu_risk, pu_score

FUNCTIONS: dict[str, Callable[..., float]] = {
    function.__name__: function
    for function in (
        pu_score,
        proxy_recall,
        proxy_precision,
        proxy_f1,
        proxy_accuracy,
        proxy_auc,
        proxy_average_precision,
        proxy_precision_at_k,
        proxy_lift_at_k,
        pu_risk,
    )
}


def call(
    name: str,
    y: Any,
    y_pred: Any,
    *,
    prior: float | None,
    scenario: str,
    sample_weight: Any = None,
    pos_label: Any = None,
    **options: Any,
) -> float:
    """The function of that name; π and the scenario are left out where it takes none."""
    formula = FORMULAS[name]
    if formula.prior != "unused":
        options["prior"] = prior
    if formula.scenario:
        options["scenario"] = scenario
    return FUNCTIONS[name](y, y_pred, sample_weight=sample_weight, pos_label=pos_label, **options)


def check_options(name: str, options: dict[str, Any]) -> None:
    """Raise where a metric is given what it does not take, or not given what it needs."""
    taken = FORMULAS[name].options
    strange = sorted(set(options) - set(taken))
    if strange:
        raise ValueError(
            f"{name} takes no {strange[0]}; " + (f"it takes {', '.join(taken)}." if taken else "it takes no options.")
        )
    if "k" in taken and "k" not in options:
        raise ValueError(f"{name} needs k: how many rows to count from the top, or which share of them. Pass k=100, or k=0.05.")
    constraints = FUNCTIONS[name]._skl_parameter_constraints  # type: ignore[attr-defined]
    validate_parameter_constraints({option: constraints[option] for option in options}, options, caller_name=name)
