"""Trials of the OPU paper on a small generated set: what they give back, and that it is the same every time."""

from dataclasses import replace

import numpy as np
import pytest

from pulab.plan import Method
from pulab.trials.trial import TrialContext
from pulib.datasets import Dataset
from pulib.sampling import Censored, make_splits
from studies.opu import protocol as opu
from studies.opu.study import Accuracy, Regret, Sensitivity, Stream

OPU = Method(
    name="m",
    label="OPU",
    estimator="pulib.linear.OnlinePUClassifier",
    grid={"alpha": [1e-3, 1e-2, 0.1, 1]},
)
UPU = Method(name="m", label="UPU", estimator="pulib.linear.UnbiasedPUClassifier", grid={"alpha": [1e-2, 0.1]})


def context(task, method, repeat=0):
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.45).astype(np.int8)
    X = 5 + 3 * (rng.normal(size=(600, 3)) + np.where(y, 1.5, -1.5)[:, None])
    data = Dataset("toy", X, y, y)
    split = make_splits(data, Censored(r=0.3), {repeat: 3}, shared_seed=1)[repeat]
    return TrialContext("opu", "toy", "r30", "m", repeat, data, split, method, task)


def run(trial):
    return opu.RUN[type(trial.task)](trial)


@pytest.mark.parametrize("method", [OPU, UPU])
def test_accuracy(method):
    result = run(context(Accuracy(), method))
    for way in ("pu_risk", "oracle"):
        assert result.scalars[f"accuracy_{way}_unlabeled"] > 0.9
        assert 10 ** result.scalars[f"log10_alpha_{way}_unlabeled"] == pytest.approx(
            min(method.grid["alpha"], key=lambda a: abs(np.log10(a) - result.scalars[f"log10_alpha_{way}_unlabeled"]))
        )
    steps, values = result.series["accuracy_by_alpha_population"]
    assert result.scalars["accuracy_ceiling_population"] == values.max() >= result.scalars["accuracy_oracle_population"]
    assert steps.tolist() == sorted(round(a * 1e6) for a in method.grid["alpha"])
    assert ((values >= 0) & (values <= 1)).all()


def test_the_same_trial_gives_the_same_numbers():
    first, again = (run(context(Accuracy(), OPU)) for _ in range(2))
    assert first.scalars == again.scalars


def test_features_are_scaled_on_the_training_part():
    rows = opu._load(context(Accuracy(), OPU))
    np.testing.assert_allclose(rows.X.min(axis=0), -1)
    np.testing.assert_allclose(rows.X.max(axis=0), 1)
    assert rows.y.sum() == (rows.truth[rows.y == 1]).sum()  # labeled rows are true positives
    assert rows.priors["unlabeled"] == rows.truth[rows.y == 0].mean()
    assert 0 < rows.validation.mean() < 0.2


def test_features_are_standardized_where_asked():
    rows = opu._load(context(Accuracy(scaling="standard"), OPU))
    np.testing.assert_allclose(rows.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(rows.X.std(axis=0), 1)


def test_sensitivity():
    task = Sensitivity(alphas=(1e-3, 1e-2), prior_percents=(60, 100, 140), priors=("unlabeled",))
    series = run(context(task, OPU)).series
    assert series["accuracy_by_alpha_unlabeled"][0].tolist() == [1000, 10_000]
    assert series["accuracy_by_prior_percent_unlabeled"][0].tolist() == [60, 100, 140]


@pytest.mark.parametrize("batch_size", [1, 0.05])
def test_stream_ends_where_fit_ends(batch_size):
    trial = context(Stream(checkpoints=6), replace(OPU, params={"batch_size": batch_size}))
    steps, values = run(trial).series["accuracy_by_rows_seen_population"]
    rows = opu._load(trial)
    assert steps[-1] == len(rows.y)
    alpha = opu.tune(trial, rows, rows.priors["population"])["pu_risk"]
    fitted = opu.build(trial, prior=rows.priors["population"], alpha=alpha).fit(rows.X, rows.y)
    assert values[-1] == opu._score(fitted, rows.X_test, rows.truth_test)


@pytest.mark.parametrize("params", [{}, {"batch_size": 10, "inner_steps": 50}])
def test_regret_lies_under_its_bound(params):
    trial = context(Regret(alphas=(0.1,), checkpoints=5), replace(OPU, params=params))
    result = run(trial)
    steps, regret = result.series["regret_log10_alpha_-1"]
    assert (regret <= result.series["bound_log10_alpha_-1"][1]).all()
    assert steps[-1] == len(opu._load(trial).y) // params.get("batch_size", 1)
