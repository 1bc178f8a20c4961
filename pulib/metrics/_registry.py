"""Calls of the public functions by name, with the arguments that each accepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils._param_validation import validate_parameter_constraints

from pulib.metrics import _at_k, _estimates, _scores
from pulib.metrics._formulas import FORMULAS

#: Each formula's function, of the same name.
FUNCTIONS: dict[str, Callable[..., float]] = {
    name: vars(module)[name] for name in FORMULAS for module in (_scores, _estimates, _at_k) if name in vars(module)
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
    """Call the function of that name, without π or scenario if it does not accept them."""
    formula = FORMULAS[name]
    if formula.prior != "unused":
        options["prior"] = prior
    if formula.scenario:
        options["scenario"] = scenario
    return FUNCTIONS[name](y, y_pred, sample_weight=sample_weight, pos_label=pos_label, **options)


def check_options(name: str, options: dict[str, Any]) -> None:
    """Raise an error if a metric gets an argument that it does not accept, or lacks one that it needs."""
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
