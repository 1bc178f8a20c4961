"""The rule for the ends of grids: what it widens, and where it stops."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pulab.plan import Method
from pulab.plan.configuration import read_yaml
from pulab.plan.plan import load_plan
from pulab.trials.trial import TrialContext
from pulib.datasets import Dataset, load_registry
from pulib.sampling import Contaminated, contaminated_split
from studies.resvm.grids import SHARE, Axis, Task, begin, grid_recipes, settle
from studies.resvm.study import GRIDS, STUDY, GridSearch, find_grids

ROOT = Path(__file__).resolve().parents[3]


def context():
    y = np.repeat(np.array([1, 0], dtype=np.int8), 200)
    data = Dataset("toy", X=np.random.default_rng(0).normal(size=(400, 3)) + 1.5 * y[:, None], target=y, y=y)
    split = contaminated_split(
        data, random_state=0, n_labeled=30, n_unlabeled=60, contamination_unlabeled=0.3, test="random",
        n_test_positive=50, n_test_negative=50,
    )  # fmt: skip
    method = Method(name="m", label="RESVM", estimator="pulib.svm.RobustEnsembleSVC", grid={"C": [1.0]})
    return TrialContext("resvm", "toy", "pu", "m", 0, data, split, method, GridSearch(n_folds=3))


class Known:
    """A task whose best powers are known, regardless of the ends of the grid."""

    def __init__(self, powers, limit=math.inf):
        self.powers, self.limit = powers, limit

    def best(self, grid):
        nearest = {name: min(grid[name], key=lambda v, p=power: abs(math.log(v) - p)) for name, power in self.powers.items()}
        return nearest | {name: values[0] for name, values in grid.items() if name not in nearest}

    def fits(self, axes):
        return all(axis.greatest <= self.limit for axis in axes.values())


def axes_of(*names):
    return {name: Axis(name, 1.0, math.e) for name in names}


@example([5] * 5 + [-5] + [0] * 24)  # many at one edge, and too few at the other
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=60))
def test_rule_widens_until_it_holds(powers):
    rounds = [found.iloc[0] for found in settle(axes_of("C"), [Known({"C": power}) for power in powers])]
    for found in rounds:
        too_many = found["share_least"] + found["share_greatest"] > SHARE
        asked = [side for side in ("least", "greatest") if too_many and found[f"share_{side}"] > SHARE / 2]
        assert found["widened"].split() == asked
        assert bool(asked) == (found is not rounds[-1])
    # counted independently of the rule
    least, greatest = (round(math.log(rounds[-1][side])) for side in ("least", "greatest"))
    outside = np.mean([power <= least or power >= greatest for power in powers])
    assert outside <= SHARE
    assert greatest - least <= max(0, *powers) - min(0, *powers) + 2


def test_size_of_the_data_or_a_limit_ends_a_side():
    axis = dataclasses.replace(axes_of("C")["C"], end=50.0)
    last = list(settle({"C": axis}, [Known({"C": 9.0})] * 20))[-1].iloc[0]
    assert last["held"] == "greatest"
    assert last["greatest"] == pytest.approx(math.e**3, rel=1e-5)
    last = list(settle(axes_of("C"), [Known({"C": 4.0}, limit=2)] * 20))[-1].iloc[0]
    assert last["held"] == "greatest"
    assert last["greatest"] == pytest.approx(math.e**2, rel=1e-5)
    task = Task(context())
    sizes = {"n_positive": Axis("n_positive", 10, 2), "unlabeled_per_positive": Axis("unlabeled_per_positive", 1.5, 2)}
    assert task.fits(sizes)  # 20 of 30 positives, 60 of 60 unlabeled rows
    for name in sizes:
        assert not task.fits(sizes | {name: dataclasses.replace(sizes[name], greatest=2)})
    assert not task.fits(sizes | {"n_positive": dataclasses.replace(sizes["n_positive"], least=-4)})


def test_configured_grids_are_the_settled_ones():
    rounds = pd.read_csv(ROOT / "figures/paper/grids.csv")
    last = rounds[rounds["round"] == rounds.groupby(["family", "method"])["round"].transform("max")]
    assert not last["widened"].notna().any()
    methods, families = STUDY.methods_of("paper"), GRIDS["paper"]
    for (family, method), settled in last.groupby(["family", "method"]):
        asked = families[family]
        begins = methods[asked.methods[method]].for_dataset(asked.datasets[0]).grid
        axes = begin(begins, asked.steps, asked.ends)
        for dataset in asked.datasets:
            grid = methods[method].for_dataset(dataset).grid
            assert set(grid) == set(settled["parameter"])
            for row in settled.itertuples():
                axis = axes[row.parameter]
                powers = {side: round(math.log(getattr(row, side) / axis.middle, axis.step)) for side in ("least", "greatest")}
                assert grid[row.parameter] == dataclasses.replace(axis, **powers).values(), (dataset, method, row.parameter)
    assert len(last.groupby(["family", "method"])) == sum(len(asked.methods) for asked in families.values())


def plan_of(preset, study):
    config = read_yaml(ROOT / "config" / "config.yaml") | {"studies": [study], "preset": preset}
    return load_plan(config, load_registry())


@pytest.mark.parametrize("preset", ["quick", "paper"])
def test_families_are_those_of_the_preset(preset):
    assert find_grids(preset, ["opu", "resvm"]) == GRIDS[preset]
    assert find_grids(preset, ["opu"]) == {}


def test_tuning_begins_with_the_grid_of_the_main_method():
    plan = plan_of("paper", "resvm")
    family = GRIDS["paper"]["mnist"]
    recipes = grid_recipes(plan, family, "resvm_bag_blind")
    assert set(recipes) == {(dataset, setting) for dataset in family.datasets for setting in family.settings}
    main = STUDY.methods_of("paper")["resvm_bag"].for_dataset(family.datasets[0])
    for (_, setting), recipe in recipes.items():
        assert recipe.method.name == "resvm_bag_blind"
        assert recipe.method.grid == main.grid
        assert isinstance(recipe.split, Contaminated)
        assert (recipe.split.contamination_unlabeled > 0) == (setting != "supervised")
        assert isinstance(recipe.task, GridSearch)
