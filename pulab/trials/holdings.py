"""What is kept of a plan's trials: which need not be run, and which have to be confirmed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulab.trials.fingerprint import Made, made_by
from pulab.trials.plan import Group, Key, Plan
from pulab.trials.runner import data_identity

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Holdings:
    """Kept trials beside a plan.

    Attributes
    ----------
    plan : Plan
    tidy : path
        The folder of the kept tidy results.
    prepared : path
        The folder of prepared data sets: their identity counts where they are here.
    """

    plan: Plan
    tidy: Path
    prepared: Path

    @cache  # noqa: B019 - there is one for a run
    def present(self, study: str) -> dict[Key, Made]:
        """By group, what the present code would make."""
        return {group.key: self._made(group) for group in self.plan.groups_of(study)}

    def _made(self, group: Group) -> Made:
        meta = self.prepared / self.plan.base(group.dataset) / "meta.json"
        data = data_identity(json.loads(meta.read_text(encoding="utf-8"))) if meta.is_file() else None
        return made_by(self.plan.trial_spec(group), data)

    def judged(self, study: str) -> pd.DataFrame | None:
        """Every kept trial of a study, held against what the present code would make; None where nothing is kept."""
        from pulab.trials import kept, results

        file = self.tidy / f"{study}.parquet"
        return kept.judge(results.read(file), kept.read_made(file), self.present(study)) if file.is_file() else None

    def usable(self, study: str) -> dict[Key, frozenset[int]]:
        """By group, the repeats that need not be run."""
        from pulab.trials import kept

        judged = self.judged(study)
        return {} if judged is None else kept.usable(judged)

    @cache  # noqa: B019
    def to_confirm(self, study: str) -> dict[str, list[dict[str, Any]]]:
        """By data set, the repeats that have to be run again for a confirmation."""
        from pulab.trials import confirm, results

        judged, timings = self.judged(study), self.tidy / f"{study}.timings.parquet"
        if judged is None or not timings.is_file():
            return {}
        asked = confirm.to_confirm(judged, results.read(timings), self.present(study))
        return {str(dataset): part.to_dict("records") for dataset, part in asked.groupby("dataset")}

    def groups_to_confirm(self, study: str, dataset: str) -> list[Group]:
        """The groups that :meth:`to_confirm` names for a data set."""
        rows = self.to_confirm(study).get(dataset, [])
        keys = sorted({(row["study"], row["dataset"], row["setting"], row["method"]) for row in rows})
        return [self.plan.groups[key] for key in keys]
