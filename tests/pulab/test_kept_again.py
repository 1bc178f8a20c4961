"""Some kept trials of small sets, drawn by the commit's hash, are run again: their bytes are what is kept."""

import random
import subprocess
from pathlib import Path

import pandas as pd
import pytest
import yaml

from pulab.trials import confirm, results
from pulab.trials.fingerprint import made_by
from pulab.trials.holdings import Holdings
from pulab.trials.kept import GROUP
from pulab.trials.plan import load_plan
from pulab.trials.results import KEY
from pulib import load_dataset
from pulib.datasets import load_registry, mirror_list

ROOT = Path(__file__).parents[2]
BESIDE = ROOT.parent / "shared" / "mirror"
MIRRORS = mirror_list() or [str(BESIDE)] * BESIDE.is_dir()
#: Sets that scikit-learn ships or that are generated can always be had; the others come from a mirror.
BUNDLED = ["breast_cancer", "circle_noise", "expanding_clusters"]
MIRRORED = ["australian", "cancer", "pbc", "pbc_recorded", "pbc_trial", "postoperative", "segment_foliage", "veteran", "vote"]
N_TRIALS, LONGEST = 20, 1.5

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / "figures" / "paper" / "tidy").is_dir(), reason="no kept results beside the tests"),
]


def commit() -> str:
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("no commit to draw trials by: not a git checkout")
    return done.stdout.strip()


def test_trials_that_are_kept_as_current_come_out_the_same(tmp_path):
    read = [yaml.safe_load((ROOT / "config" / name).read_text(encoding="utf-8")) for name in ("config.yaml", "paper.yaml")]
    plan = load_plan(read[0] | read[1], load_registry(), ROOT)
    holdings = Holdings(plan, ROOT / "figures" / "paper" / "tidy", tmp_path / "data")
    short = pd.concat([short_trials(holdings, study) for study in plan.studies], ignore_index=True)
    if short.empty:
        pytest.skip("no trial of a small set is kept as current, made with these libraries on such a processor")
    keys = list(short[KEY].itertuples(index=False, name=None))
    random.Random(commit()).shuffle(keys)
    wrong = {}
    for key in keys[:N_TRIALS]:
        group = plan.groups[key[:4]]
        spec, data = plan.trial_spec(group), load_dataset(group.dataset, data_dir=tmp_path, mirror=MIRRORS)
        again = confirm.run_again(key, spec, data, tmp_path / "finished")
        rows = results.read(holdings.tidy / f"{group.study}.parquet")
        answer = confirm.compare(key, "", rows[(rows[KEY] == list(key)).all(axis=1)], again, made_by(spec))
        if not answer["equal"].all():
            wrong[key] = answer[["difference", "message"]].to_dict("records")
    assert not wrong


def short_trials(holdings: Holdings, study: str) -> pd.DataFrame:
    """Kept trials of small sets that this code is said to make, with these libraries on such a processor, in little time."""
    judged = holdings.judged(study)
    if judged is None:
        return pd.DataFrame(columns=KEY)
    times = results.read(holdings.tidy / f"{study}.timings.parquet")
    times = times.loc[(times["metric"] == "trial") & (times["seconds"] <= LONGEST), KEY]
    sets = BUNDLED + MIRRORED * bool(MIRRORS)
    current = judged[(judged["state"] == "current") & ~judged["why"].str.contains("made with") & judged["dataset"].isin(sets)]
    return current.merge(times, on=KEY).drop_duplicates([*GROUP, "repeat"])
