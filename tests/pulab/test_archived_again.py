"""Archived trials of small sets are run again, one of each of 40 methods: their numbers are the same.

The commit's hash draws them, so that each commit tests others.
"""

import random
import subprocess
from pathlib import Path

import pytest

from pulab.plan.configuration import read_yaml
from pulab.plan.identity import names_in
from pulab.plan.own import missing_requirements
from pulab.plan.plan import load_plan
from pulab.reports.rerun import agreement
from pulab.trials import archived, results
from pulab.trials.results import KEY
from pulab.trials.runner import JobRunner
from pulib import load_dataset
from pulib.datasets import load_registry, mirror_list

ROOT = Path(__file__).parents[2]
TIDY = ROOT / "figures" / "paper" / "tidy"
SHARED_MIRROR = ROOT.parent / "shared" / "mirror"
MIRRORS = mirror_list() or [str(SHARED_MIRROR)] * SHARED_MIRROR.is_dir()
#: Sets that scikit-learn ships or that are generated can always be had; the others come from a mirror.
BUNDLED = ["breast_cancer", "circle_noise", "expanding_clusters"]
MIRRORED = ["australian", "cancer", "pbc", "pbc_recorded", "pbc_trial", "postoperative", "segment_foliage", "veteran", "vote"]
N_TRIALS, LONGEST = 40, 1.5

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not TIDY.is_dir(), reason="no archived results beside the tests")]


def commit() -> str:
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("no commit to draw trials by: not a git checkout")
    return done.stdout.strip()


def test_trials_of_the_current_identity_reproduce_archived_numbers(tmp_path):
    read = [read_yaml(ROOT / "config" / name) for name in ("config.yaml", "paper.yaml")]
    plan = load_plan(read[0] | read[1], load_registry())
    keys = [key for study in plan.studies for key in short_trials(plan, study)]
    assert keys, "no archived trial of a small set has the present identity"
    random.Random(commit()).shuffle(keys)
    by_method = {(key[0], key[3]): key for key in keys}
    old, new, names = [], [], {}
    for *group, repeat in list(by_method.values())[:N_TRIALS]:
        key = tuple(group)
        recipe = plan.recipe(plan.groups[key])
        names[key] = names_in(recipe)
        data = load_dataset(key[1], data_dir=tmp_path, mirror=MIRRORS)
        new.append(JobRunner(data, tmp_path / "store").run(key, recipe, [repeat])[repeat].rows)
        rows = results.read(TIDY / f"{key[0]}.parquet")
        old.append(rows[(rows[KEY] == [*key, repeat]).all(axis=1)])
    found = agreement(results.concat(old, results.COLUMNS), results.concat(new, results.COLUMNS), names)
    wrong = found[found["agrees"] != "yes"]
    assert wrong.empty, wrong.to_string()


def short_trials(plan, study: str) -> list[tuple]:
    """Archived trials of small sets, of the present identity, that take little time and what they need is here."""
    file = TIDY / f"{study}.parquet"
    present = {key: identity for key, (identity, _) in plan.identities(study).items()}
    judged = archived.judge(results.read(file), archived.read_record(file), present)
    times = results.read(file.with_suffix(".timings.parquet"))
    times = times.loc[(times["metric"] == "trial") & (times["seconds"] <= LONGEST), KEY]
    current = judged[(judged["state"] == "current") & judged["dataset"].isin(BUNDLED + MIRRORED * bool(MIRRORS))]
    keys = current.merge(times, on=KEY)[KEY].drop_duplicates().itertuples(index=False, name=None)
    able = {key: not missing_requirements(plan.recipe(group).method) for key, group in plan.groups.items() if key[0] == study}
    return [key for key in keys if able[key[:4]]]
