"""Claims: what archived ones do not show, such as stand-ins and missing results."""

import numpy as np
import pandas as pd
import pytest

from pulab.claims import Evidence, Missing, Numbers, claim, claims_of, judge_claims
from pulab.claims.cases import compare, ranks, share_of_cases, trend
from pulab.claims.registry import Claim
from pulab.trials import results
from tests.pulab.toy import study_of

SETS = ["d1", "d2", "d3", "d4", "d5", "d6"]
LABELS = {"a": "method A", "b": "method B", "d1": "Data 1"}


@pytest.fixture(scope="module")
def evidence():
    """Method a is above b but on d6, and c below both; d7 could not be downloaded."""
    rng = np.random.default_rng(5)
    rows = []
    for k, dataset in enumerate(SETS):
        for repeat in range(6):
            base = rng.random()
            for method, gain in [("a", 0.2), ("b", 0.1 + 0.2 * (k == 5)), ("c", 0.0)]:
                key = ("p", dataset, "s", method, repeat)
                rows.append([*key, "auc", -1, base + gain + 0.01 * rng.random(), "ok", ""])
                rows += [[*key, "curve", step, value, "ok", ""] for step, value in enumerate([1.0, 3.0, 2.5])]
    rows.append(["p", "d7", "s", "a", 0, "", -1, np.nan, "unavailable", "d7 could not be downloaded"])
    tidy = results.typed(pd.DataFrame(rows, columns=results.COLUMNS), results.COLUMNS)
    return Evidence(tidy, results.concat([], results.TIMING_COLUMNS), {"other": "d1"}, labels=LABELS)


AUC = Numbers(setting="s", metric="auc")
CURVE = Numbers(dataset="d1", setting="s", method="a", metric="curve")


def on(*datasets, numbers=AUC):
    """Method a against method b, on each data set."""
    return [(numbers(dataset=name, method="a"), numbers(dataset=name, method="b")) for name in datasets]


def made_claim(cases, **details):
    return Claim(cases, **{"id": "x", "section": "1", "quote": "q", "tested": "t", "theme": "accuracy", **details})


def judge(evidence, cases, **details):
    """The verdict on a claim that has these cases."""
    table, shown = judge_claims("p", [made_claim(lambda evidence: cases, **details)], evidence)
    return table.iloc[0], shown


def verdict(evidence, cases, **details):
    return judge(evidence, cases, **details)[0]["verdict"]


def test_tests_that_can_hardly_fail_are_weak_by_a_rule(evidence):
    greater, wide = list(compare(evidence, on("d1", "d2"), "greater")), {"test": "t"}
    assert judge(evidence, greater)[0]["weak"] == ""
    assert judge(evidence, greater, need="any")[0]["weak"] == "one of 2 comparisons is enough"
    absent = list(compare(evidence, on("d6"), "not_less", **wide))
    assert [case.status for case in absent] == ["fails"]  # a test that failed can fail
    assert judge(evidence, absent)[0]["weak"] == ""
    absent = list(compare(evidence, on("d1"), "not_less", **wide))
    assert "finds no difference" in judge(evidence, absent)[0]["weak"]
    auc = AUC(dataset="d1", method="a")
    value = float(evidence.values(auc).mean())
    for factor, weak in ((0.1, True), (0.4, False)):
        far = list(compare(evidence, [(auc, factor * value)], "greater"))
        assert bool(judge(evidence, far)[0]["weak"]) == weak, factor
        far = list(compare(evidence, [(value / factor, auc)], "greater"))
        assert bool(judge(evidence, far)[0]["weak"]) == weak, factor


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ({"quote": "a", "part": "b"}, "claim x: part='b' does not occur in its quote"),
        ({"theme": "taste"}, "claim x: theme='taste'; expected one of"),
        ({"need": "some"}, "claim x: need='some'; expected all, most or any"),
        ({"why": {"hold": "because"}}, "claim x: why: unknown verdict 'hold'"),
    ],
)
def test_a_wrong_word_of_a_claim_is_named(details, message):
    with pytest.raises(ValueError, match=message):
        made_claim(list, **details)


def test_a_claim_that_missing_cases_could_change_is_not_tested_in_full(evidence):
    held, gone = list(compare(evidence, on(*SETS[:2]), "greater")), list(compare(evidence, on("d7"), "greater"))
    assert [case.status for case in gone] == ["not available"]
    assert verdict(evidence, [*held, *gone]) == "holds"  # a third is missing
    assert verdict(evidence, [*held, *gone, *gone]) == "not tested in full"
    assert verdict(evidence, [*held, *gone, *gone], need="any") == "holds"  # whatever the others would give
    fails = list(compare(evidence, on("d6"), "greater"))
    assert verdict(evidence, [*fails, *gone]) == "not tested in full"
    row, _ = judge(evidence, [*held, *gone, *gone], why={"holds": "Because."})
    assert (row["held"], row["cases"], row["not_available"], row["why"]) == (2, 2, 2, "Because.")


@pytest.mark.parametrize(
    ("expect", "how", "expected"),
    [
        ("close", {"tolerance": 0.2}, "holds"),
        ("close", {"tolerance": 0.05}, "does not hold"),
        ("close", {"test": "t"}, "does not hold"),
        ("greater", {"margin": 0.2}, "does not hold"),
        ("greater", {"at_most": 0.05}, "does not hold"),
        ("greater", {"at_most": 0.2}, "holds"),
        ("not_less", {"swapped": True, "tolerance": 0.2}, "holds"),
        ("not_less", {"swapped": True, "test": "t"}, "does not hold"),
        ("times", {"factor": 9}, "does not hold"),
        ("close", {"tolerance": 20.0, "unit": "%"}, "holds"),
        ("close", {"tolerance": 0.2, "unit": "%"}, "does not hold"),
    ],
)
def test_each_expectation_for_a_greater_left_side(evidence, expect, how, expected):
    evidence = evidence.in_unit(how.pop("unit", ""))
    step = -1 if how.pop("swapped", False) else 1
    pairs = [pair[::step] for pair in on("d1")]
    assert verdict(evidence, compare(evidence, pairs, expect, **how)) == expected


def test_an_unknown_expectation_is_an_error(evidence):
    with pytest.raises(ValueError, match="expect='more'; expected greater"):
        list(compare(evidence, on("d1"), "more"))


def test_better_by_ranks_requires_the_better_rank(evidence):
    relations = [("better", "a", "c"), ("better", "c", "a"), ("same", "a", "b")]
    _, cases = judge(evidence, ranks(evidence, {m: AUC(method=m) for m in "abc"}, relations, over=SETS))
    assert cases["status"].tolist() == ["holds", "fails", "holds"]


def test_a_number_made_of_few_repeats_does_not_pass_for_one_of_many(evidence):
    mean = AUC(dataset="d1", method="a", across=pd.Series.mean)
    row, _ = judge(evidence, compare(evidence, [(mean, mean(method="b", first_repeats=2))], "greater"))
    assert row["repeats"] == "2"


def test_missing_cases_are_named_and_not_counted(evidence):
    row, cases = judge(evidence, compare(evidence, on("d1", "d7", "d8"), "greater"))
    assert (row["verdict"], row["cases"], row["pending"], row["not_available"]) == ("holds", 1, 1, 1)
    reasons = cases.set_index("case")["reason"]
    assert reasons["d7, method A against method B"] == "d7 could not be downloaded"
    assert "d8 s a has not been run" in reasons["d8, method A against method B"]
    assert verdict(evidence, compare(evidence, on("d7"), "greater")) == "not available"
    row, cases = judge(evidence, ranks(evidence, {m: AUC(method=m) for m in "abc"}, [("differ",)], over=SETS[:3]))
    assert (row["verdict"], cases["reason"].item()) == ("pending", "3 data sets with all of a, b, c; 5 are needed")
    assert verdict(evidence, trend(evidence, [(CURVE, CURVE(method="nobody"))], least=0.1)) == "pending"
    assert share_of_cases("nothing", []).status == "pending"


def of_five(values):
    """The mean over repeats, of which it needs five."""
    if len(values) < 5:
        raise Missing("pending", "a mean needs 5")
    return values.mean()


@pytest.mark.parametrize(
    ("numbers", "how", "reason"),
    [
        (AUC(dataset="d1", method="a", metric="acu"), {}, "no trial measures 'acu' (did you mean 'auc'?)"),
        (AUC(dataset="d1", method="a", step=1), {}, "d1 s a: auc is not stored as a series"),
        (CURVE(step=9), {}, "d1 s a: no step 9"),
        (CURVE, {}, "d1 s a: curve is a series; say how to reduce it"),
        (AUC(dataset="d1", method="a", across=of_five, first_repeats=4), {}, "4 repeats of d1 s a; a mean needs 5"),
        (AUC(dataset="d1", method="a", first_repeats=5), {"test": "wilcoxon"}, "5 repeats; the test needs 6"),
        (AUC(dataset="d1", method="a"), {"least": 7}, "6 of the 7 required repeats are stored"),
    ],
)
def test_a_case_says_why_it_cannot_be_judged(evidence, numbers, how, reason):
    expect = "close" if "test" in how else "greater"
    (case,) = compare(evidence, [(numbers, AUC(dataset="d1", method="b"))], expect, **how)
    assert case.reason == reason


def test_stand_ins_are_used_once_and_named(evidence):
    """The first of several sets that has results is taken; d1 stands in for another one."""
    row, cases = judge(evidence, compare(evidence, on(("d8", "d2"), "other", "d1"), "greater"))
    assert cases["case"].tolist() == ["d2, method A against method B", "Data 1, method A against method B"]
    assert row["stand_in"] == "Data 1"
    within = {m: AUC(dataset="other", method=m) for m in "abc"}
    assert judge(evidence, ranks(evidence, within, [("differ",)]))[0]["stand_in"] == "Data 1"
    sides = {m: AUC(method=m) for m in "abc"}
    assert judge(evidence, ranks(evidence, sides, [("differ",)], over=["other", *SETS[1:]]))[0]["stand_in"] == "Data 1"
    assert judge(evidence, ranks(evidence, sides, [("differ",)], over=SETS[1:]))[0]["stand_in"] == ""


def test_claims_keep_their_order_and_have_unique_names(monkeypatch):
    from pulab.claims import registry

    monkeypatch.setattr(registry, "_REGISTERED", {})
    monkeypatch.setattr(registry, "find_spec", lambda module: module)
    monkeypatch.setattr(registry, "import_module", lambda module: None)

    def registered(module, name, place):
        def function(evidence):
            return []

        function.__module__, function.__name__, function.__qualname__ = module, name, place
        claim(section="1", quote="q", theme="speed")(function)

    toy = study_of(module="toy")
    registered("toy.claims.part", "b", "b")
    registered("toy.claims", "a", "a")
    for other in ("toy.claims_of_another", "toy", "toys.claims"):
        registered(other, "c", "c")
    assert [made.id for made in claims_of(toy)] == ["b", "a"]
    assert claims_of(study_of(module="to")) == []
    registered("toy.claims.part", "a", "another")
    with pytest.raises(ValueError, match=r"toy\.claims: two claims have the name 'a'"):
        claims_of(toy)
    monkeypatch.undo()
    assert claims_of(study_of(module="pulab.plan")) == [], "a study may have no module of claims"
