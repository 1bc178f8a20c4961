"""What an entry of a study's ``tables`` or ``figures`` may hold, kind by kind, as typed models.

A kind is a module of :mod:`pulab.tables.kinds` or :mod:`pulab.figures.kinds`; :data:`TABLES` and :data:`FIGURES` say which keys
it reads.  Entries are checked before anything is trained; names of methods, data sets and settings are looked up in the
registries.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, create_model

from pulab.trials.configuration import Dataset, Entry, Method, Setting

#: From a name to how it is shown.
Shown = dict[str, str]


class Artifact(Entry):
    """Keys that every table and figure may have.

    Attributes
    ----------
    section : str
        The place in the paper.
    reading : {"main", "other"}
        For a table: whether the headline counts its cells; a row or a column may have this key, too.
    cells : str
        What a table's cells are, if its kind does not determine it.
    first_repeats : int
        Number of repeats to use, if not the study's.
    points : float
        Points in one unit of its cells, if the unit does not show it.
    """

    kind: str
    title: str
    caption: str = ""
    section: str = ""
    reading: Literal["main", "other"] = "main"
    cells: Literal["performance", "wins", "count", "mark", "fact", "parameter", "time"] = "performance"
    first_repeats: Annotated[int, Field(ge=1)] = 1
    points: float = 1.0


class Select(Entry):
    """Columns of the tidy results, and the value that each must have."""

    dataset: Dataset = ""
    setting: Setting = ""
    method: Method = ""
    metric: str = ""
    step: int = -1


class Target(Entry):
    """A published cell."""

    row: str
    column: str


class Place(Entry):
    """A row or a column of a table."""

    label: str
    select: Select = Select()
    published: str = ""
    reading: Literal["main", "other"] = "main"
    decimals: int = 1
    scale: float = 1.0
    rows: list[str] = []
    target: Target | None = None


class Resolve(Entry):
    """A method whose parameters are looked up on data sets."""

    method: Method
    datasets: list[Dataset]


class Printed(Entry):
    """Published cells: their table, and rows and columns by data set and method."""

    table: str | list[str]
    rows: dict[Dataset, str] = {}
    columns: dict[Method, str] = {}
    method: Method = ""
    n: int = 0


class LookedAt(Entry):
    """Rows of tables that get a closer look."""

    rows: list[str]
    tables: dict[Setting, str]
    blind: list[Method] = []
    edges: dict[Method, str] = {}


class Switched(Entry):
    """A setting whose methods are given the other scenario."""

    reference: Setting
    label: str


Rows = list[Place]
#: Keys by type; a key means the same in all kinds.
_KEYS: tuple[tuple[Any, str], ...] = (
    (str, "column importance label metric note prior published series wording xlabel"),
    (int, "decimals least_tasks log10_alpha n_published show"),
    (float, "alpha contamination extent least_share scale share_of_ceiling"),
    (bool, "logarithmic lost"),
    (list[str], "metrics published_tables unmarked"),
    (list[int], "sizes"),
    (list[float], "learning_rates"),
    (Literal["results", "timings"], "source"),
    (Dataset, "dataset show_dataset"),
    (Setting, "reference setting show_setting test_setting"),
    (Method, "method show_method"),
    (list[Dataset], "choose show_datasets tasks test_datasets"),
    (list[Setting], "show_settings"),
    (list[Method], "compare scale_of show_methods"),
    (dict[Setting, str], "biased estimators labels levels priors references settings tables wrong"),
    (dict[Dataset, str], "titles"),
    (dict[Dataset, list[str]], "feature_names"),
    (dict[str, Method], "by_p like lines panels rivals"),
    (dict[str, list[Method]], "grids"),
    (dict[str, list[Dataset]], "families"),
    (dict[str, dict[str, Method]], "theorems"),
    (dict[Method, Method], "before"),
    (dict[Setting, Switched], "against switched"),
    (Shown, "parameters traces tunings weightings"),
    (Rows, "rows columns"),
    (Select, "select"),
    (LookedAt, "looked_at"),
    (Resolve, "resolve"),
)
_TYPES: dict[str, Any] = {key: kind for kind, keys in _KEYS for key in keys.split()}


def _check_number(text: str) -> str:
    """A level of a numeric axis."""
    try:
        float(text)
    except ValueError:
        raise ValueError(f"expected a number, got {text!r}") from None
    return text


#: What a kind needs, what it may have, and the types of keys that mean something else in it.
Keys = tuple[str, str, dict[str, Any]]


def _kind(required: str, optional: str = "", **types: Any) -> Keys:
    return required, optional, types


def _models(kinds: Mapping[str, Keys]) -> dict[str, type[Artifact]]:
    """The model of each kind."""
    models = {}
    for kind, (required, optional, types) in kinds.items():
        fields: dict[str, Any] = {key: (types.get(key, _TYPES.get(key)), ...) for key in required.split()}
        fields |= {key: (types.get(key, _TYPES.get(key)), None) for key in optional.split()}
        fields["kind"] = (Literal[kind], ...)
        models[kind] = create_model(kind, __base__=Artifact, **fields)
    return models


_CURVES = {"reference": dict[Setting, str]}
_NUMERIC = _CURVES | {"levels": dict[Setting, Annotated[str, AfterValidator(_check_number)]]}
_PRINTED = {"published": Printed}
_TABLES = {
    "adapu_networks": _kind("published resolve rows column", rows=dict[str, Dataset]),
    "adapu_readings": _kind("published rows columns", "decimals", rows=Shown),
    "comparison": _kind("published metric rows columns", "scale decimals n_published select source"),
    "levelfield_answers": _kind("references labels biased wrong priors estimators switched", "before"),
    "levelfield_best": _kind("settings"),
    "levelfield_costs": _kind("setting metric"),
    "levelfield_coverage": _kind(""),
    "levelfield_curves": _kind("metric reference levels", "share_of_ceiling lost", **_CURVES),
    "levelfield_metrics": _kind("setting metrics"),
    "levelfield_overview": _kind("metrics settings"),
    "levelfield_pairs": _kind("metric settings"),
    "levelfield_priors": _kind("reference estimators"),
    "levelfield_properties": _kind("setting metric"),
    "levelfield_ranks": _kind("metric settings", "least_share"),
    "levelfield_scenarios": _kind("metric switched"),
    "levelfield_tasks": _kind("setting metric"),
    "levelfield_trivial": _kind("settings", "metric before"),
    "levelfield_tuning": _kind("metric setting reference"),
    "opu_readings": _kind(
        "published_tables rows settings columns weightings priors tunings", "decimals unmarked",
        rows=dict[str, Dataset], settings=dict[str, Setting], columns=dict[str, Method], priors=Shown,
    ),
    "pces_wins": _kind("published metric alpha test_setting test_datasets references rivals", references=dict[str, Method]),
    "resvm_edges": _kind("compare rows", "sweeps", sweeps=list[Setting]),
    "resvm_friedman": _kind("published compare settings tasks", "least_tasks"),
    "resvm_intervals": _kind("published setting compare rows", "looked_at n_published"),
    "resvm_margins": _kind("settings tables grids rivals rows", rivals=list[str]),
    "resvm_parameters": _kind("published method settings parameters resolve tasks", "decimals", tasks=dict[Dataset, str]),
    "resvm_wins": _kind("published compare settings families"),
}  # fmt: skip
_FIGURES = {
    "adapu_curves": _kind("xlabel show_methods show_datasets", "titles published note", **_PRINTED),
    "adapu_feature_counts": _kind("show_methods labels show_datasets", "titles", labels=dict[Method, str]),
    "adapu_learning_rates": _kind("learning_rates show_method show_datasets", "titles published note", **_PRINTED),
    "adapu_traces": _kind("traces like show_method show_datasets", "titles"),
    "levelfield_calibration": _kind("settings metrics"),
    "levelfield_costs": _kind("setting metrics"),
    "levelfield_curves": _kind("metric reference levels xlabel wording", "lost logarithmic", **_NUMERIC),
    "levelfield_diagrams": _kind("settings metrics"),
    "levelfield_heatmap": _kind("setting metric"),
    "levelfield_losses": _kind("against metrics wording", "note"),
    "levelfield_pairs": _kind("metrics settings"),
    "levelfield_priors": _kind("reference estimators metrics"),
    "levelfield_ranks": _kind("settings metrics"),
    "levelfield_tuning": _kind("setting reference metrics"),
    "opu_regret": _kind("theorems show_dataset log10_alpha"),
    "opu_sensitivity": _kind("show_method show_datasets prior", "published", **_PRINTED),
    "opu_stream": _kind("rows show_datasets prior", "published", rows=dict[str, dict[str, Method]], **_PRINTED),
    "opu_weighting": _kind(
        "metric settings lines show_datasets", "published", settings=dict[str, Setting], published=dict[str, Printed]
    ),
    "pces_curves": _kind(
        "show_setting show_datasets series by_p levels", "titles published", levels=dict[str, Method], **_PRINTED
    ),
    "pces_heatmaps": _kind("show_settings show_datasets show_method scale_of", "titles published", **_PRINTED),
    "pces_maps": _kind("show_setting show_dataset show_methods"),
    "pces_projection": _kind("show_setting show_datasets", "titles"),
    "puet_digits": _kind("choose importance rows wording", rows=dict[str, Method]),
    "puet_importances": _kind("choose show panels", "titles feature_names"),
    "puet_top_features": _kind("choose", "titles published", **_PRINTED),
    "resvm_curves": _kind("dataset setting label compare", "published", **_PRINTED),
    "resvm_densities": _kind("dataset extent settings"),
    "resvm_iteration": _kind("dataset setting compare"),
    "resvm_ranks": _kind("settings compare tasks"),
    "resvm_resamples": _kind("sizes contamination"),
    "resvm_sweeps": _kind("dataset compare levels", "published", levels=dict[str, dict[Setting, int]], **_PRINTED),
}
TABLES, FIGURES = _models(_TABLES), _models(_FIGURES)

if TYPE_CHECKING:
    Table: TypeAlias = Artifact
    Figure: TypeAlias = Artifact
else:
    Table = Annotated[reduce(or_, TABLES.values()), Field(discriminator="kind")]
    Figure = Annotated[reduce(or_, FIGURES.values()), Field(discriminator="kind")]
