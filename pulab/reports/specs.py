"""What tables, figures, claims and the report have to know of the plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulab.plan.plan import Plan


def artifact_spec(plan: Plan, study: str, section: str, name: str) -> dict[str, Any]:
    """An entry of a study's ``tables`` or ``figures`` as its kind reads it, without what all of the study's share."""
    artifact = plan.studies[study][section][name]
    resolve = artifact.get("resolve", {})
    return {
        "resolved": {
            dataset: {
                "method": plan.method(study, resolve["method"], dataset),
                "n_features": plan.registry[dataset]["expected"]["d"],
            }
            for dataset in resolve.get("datasets", [])
        },
        "first_repeats": plan.studies[study].get("first_repeats"),
        **artifact,
        "name": name,
    }


def shared_spec(plan: Plan, study: str) -> dict[str, Any]:
    """What all tables and figures of a study have to know besides: names for people, stand-ins.

    It is most of what they know.  Snakemake keeps a job's parameters once for each file that the job makes, so it stands in
    them once, not in every table.
    """
    preset = plan.preset_of(study)
    return {
        "study": study,
        "preset": plan.preset,
        "stand_ins": preset.get("stand_ins", {}),
        "options": preset.get("options", {}),
        "causes": plan.studies[study].get("causes", []),
        "methods": {name: method["label"] for name, method in plan.methods.items()},
        "classes": {name: class_name(method) for name, method in plan.methods.items()},
        "roles": method_roles(plan),
        "styles": {name: method["style"] for name, method in plan.methods.items() if "style" in method},
        "setting_labels": {name: setting.get("label", name) for name, setting in plan.studies[study]["settings"].items()},
        "datasets": {name: entry.get("title", name) for name, entry in plan.registry.items()},
    }


def class_name(method: Mapping[str, Any]) -> str:
    """How a method is made: its class, the one that it wraps, and what is no default.

    >>> wrapped = {"estimator": {"estimator": "sklearn.svm.SVC", "params": {"gamma": 0.1}}, "n_estimators": 10}
    >>> class_name({"estimator": "pulib.reductions.PUBaggingClassifier", "params": wrapped})
    'PUBaggingClassifier(SVC(), n_estimators=10)'
    >>> class_name({"estimator": "pulib.linear.UnbiasedPUClassifier", "params": {"loss": "logistic"}})
    'UnbiasedPUClassifier(loss="logistic")'
    """
    params = dict(method.get("params", {}))
    inner = params.pop("estimator", None)
    given = [f"{_last(inner)}()"] if isinstance(inner, Mapping) else []
    given += [f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}" for name, value in params.items()]
    return _last(method) + (f"({', '.join(given)})" if given else "")


def _last(method: Mapping[str, Any]) -> str:
    return str(method.get("estimator", "")).rpartition(".")[2]


def method_roles(plan: Plan) -> dict[str, str]:
    """What a method is to others, where it is no learner of pulib: ``ceiling``, ``trivial`` or ``rival``."""
    roles = {name: method.get("options", {}).get("role", "") for name, method in plan.methods.items()}
    return {name: role for name, role in roles.items() if role}


def read_names(plan: Plan, study: str) -> dict[str, str]:
    """Data sets, methods and settings as people read them."""
    return {
        **{name: entry.get("title", name) for name, entry in plan.registry.items()},
        **{name: method["label"] for name, method in plan.methods.items()},
        **{name: setting.get("label", name) for name, setting in plan.studies[study]["settings"].items()},
    }
