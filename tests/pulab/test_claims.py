"""Claims: every kind of check on results made up for it, and the papers' sentences as they stand in the papers."""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

from pulab.claims import Evidence, judge_claims
from pulab.tables import read_published
from pulab.trials import results
from pulab.trials.configuration import read_yaml, validate
from pulab.trials.trial import TrialResult

ROOT = Path(__file__).parents[2]
TEXTS = Path(os.environ.get("PULIB_PAPERS", ROOT.parent / "shared" / "papers"))
FILES = sorted((ROOT / "config" / "claims").glob("*.yaml"))
SETS = ["d1", "d2", "d3", "d4", "d5", "d6"]
LABELS = {"a": "method A", "b": "method B", "d1": "Data 1"}


@pytest.fixture(scope="module")
def evidence():
    rng = np.random.default_rng(5)
    rows, times = [], []
    for k, dataset in enumerate(SETS):
        for repeat in range(6):
            base = rng.random()
            # a is above b but on d6, c below both; a loses 0.1 from s to t and b 0.3
            for method, gain, loss in [("a", 0.2, 0.1), ("b", 0.1 + 0.2 * (k == 5), 0.3), ("c", 0.0, 0.3)]:
                for setting, value in [("s", base + gain), ("t", base + gain - loss)]:
                    key = ("p", dataset, setting, method, repeat)
                    rows.append([*key, "auc", -1, value + 0.01 * rng.random(), "ok", ""])
                    rows += [[*key, "curve", step, v + (method == "a"), "ok", ""] for step, v in enumerate([1.0, 3.0, 2.5])]
                    times.append([*key, "fit", 1.0 + 9.0 * (method == "b"), "here"])
    rows.append(["p", "d7", "s", "a", 0, "", -1, np.nan, "unavailable", "d7 could not be had"])
    tidy = results.typed(pd.DataFrame(rows, columns=results.COLUMNS), results.COLUMNS)
    timings = results.typed(pd.DataFrame(times, columns=results.TIMING_COLUMNS), results.TIMING_COLUMNS)
    return Evidence(tidy, timings, {"other": "d1"})


def judge(evidence, **claim):
    base = {"id": "x", "section": "1", "quote": "q", "tested": "t", "check": "compare", "metric": "auc", "setting": "s"}
    table, cases = judge_claims("p", [{**base, **claim}], evidence, LABELS)
    return table.iloc[0], cases


A_OVER_B = [{"left": {"method": "a"}, "right": {"method": "b"}}]


def test_all_cases_or_a_part_of_them(evidence):
    row, cases = judge(evidence, each={"dataset": SETS}, pairs=A_OVER_B, expect="greater")
    assert (row["verdict"], row["held"], row["cases"], row["repeats"]) == ("holds in part", 5, 6, "6")
    assert cases.set_index("case")["status"]["d6, method A against method B"] == "fails"
    assert "against it: d6" in row["numbers"]
    row, _ = judge(evidence, each={"dataset": SETS[:5]}, pairs=A_OVER_B, expect="greater")
    assert row["verdict"] == "holds"
    row, _ = judge(evidence, each={"dataset": ["d6"]}, pairs=A_OVER_B, expect="greater")
    assert row["verdict"] == "does not hold"


def test_as_many_repeats_as_the_study_says_or_the_claim(evidence):
    first = Evidence(evidence.results, evidence.timings, {"other": "d1"}, first_repeats=3)
    row, cases = judge(first, each={"dataset": ["d1"]}, pairs=A_OVER_B, expect="greater")
    rows = evidence.results.query("dataset == 'd1' and setting == 's' and method == 'a' and metric == 'auc' and repeat < 3")
    assert (row["repeats"], cases["left"].item()) == ("3", pytest.approx(rows["value"].mean()))
    row, _ = judge(first, each={"dataset": ["d1"]}, pairs=A_OVER_B, expect="greater", first_repeats=5)
    assert row["repeats"] == "5"


@pytest.mark.parametrize(
    ("need", "sets", "verdict"),
    [
        ("most", SETS, "holds"),
        ("most", ["d1", "d6"], "does not hold"),
        ("any", ["d1", "d6"], "holds"),
        ("any", ["d6"], "does not hold"),
    ],
)
def test_most_and_any(evidence, need, sets, verdict):
    assert judge(evidence, each={"dataset": sets}, pairs=A_OVER_B, expect="greater", need=need)[0]["verdict"] == verdict


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_tests_agree_with_scipy_and_holm_counts_what_is_left(evidence, test):
    row, cases = judge(evidence, each={"dataset": SETS}, pairs=A_OVER_B, expect="greater", test=test)
    a, b = (evidence.values({"dataset": "d2", "setting": "s", "method": m, "metric": "auc"}) for m in "ab")
    scipys = {"t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}[test]
    found = cases.set_index("case").loc["d2, method A against method B"]
    assert found["pvalue"] == pytest.approx(scipys(a, b, alternative="greater").pvalue)
    # six pairs reach 1/64 by ranks, which Holm's correction over six tests does not let pass
    assert row["held"] == 5
    assert row["held_holm"] == {"t": 5, "wilcoxon": 0}[test]


def test_close_not_less_times_margins_and_thresholds(evidence):
    common = {"each": {"dataset": ["d1"]}, "pairs": A_OVER_B}
    assert judge(evidence, **common, expect="close", tolerance=0.2)[0]["verdict"] == "holds"
    assert judge(evidence, **common, expect="close", tolerance=0.05)[0]["verdict"] == "does not hold"
    assert judge(evidence, **common, expect="close", test="t")[0]["verdict"] == "does not hold"
    assert judge(evidence, **common, expect="greater", margin=0.2)[0]["verdict"] == "does not hold"
    assert judge(evidence, **common, expect="greater", at_most=0.05)[0]["verdict"] == "does not hold"
    assert judge(evidence, **common, expect="greater", at_most=0.2)[0]["verdict"] == "holds"
    assert judge(evidence, **common, expect="greater", least=6)[0]["verdict"] == "holds"
    row, cases = judge(evidence, **common, expect="greater", least=7)
    assert (row["verdict"], cases["reason"].iloc[0]) == ("not available", "of the 7 repeats that it needs 6 are kept")
    below = {"each": {"dataset": ["d1"]}, "pairs": [{"left": {"method": "b"}, "right": {"method": "a"}}]}
    assert judge(evidence, **below, expect="not_less", tolerance=0.2)[0]["verdict"] == "holds"
    assert judge(evidence, **below, expect="not_less", test="t")[0]["verdict"] == "does not hold"
    slower = [{"left": {"method": "b"}, "right": {"method": "a"}}]
    row, _ = judge(
        evidence, each={"dataset": ["d1"]}, pairs=slower, expect="times", factor=9, source="timings", metric="fit", unit="s"
    )
    assert row["verdict"] == "holds"
    assert "10.0 and 1.0 s" in row["numbers"]
    row, _ = judge(
        evidence, each={"dataset": ["d1"]}, pairs=[{"left": {"method": "a"}, "right": {"value": 9}}], expect="greater"
    )
    assert row["verdict"] == "does not hold"
    assert "threshold 9.0" in row["numbers"]


def test_losses_between_settings_spreads_and_wins(evidence):
    drop = {"setting": "s", "minus": {"setting": "t"}}
    pairs = [{"left": {"method": "b", **drop}, "right": {"method": "a", **drop}}]
    row, cases = judge(evidence, each={"dataset": ["d1"]}, pairs=pairs, expect="greater", margin=0.1)
    assert row["verdict"] == "holds"
    assert cases["left"].iloc[0] == pytest.approx(0.3, abs=0.02)
    spread = [{"left": {"method": "a", "across": "sd"}, "right": {"method": "b", "across": "sd"}}]
    _, cases = judge(evidence, each={"dataset": ["d1"]}, pairs=spread, expect="greater")
    own = evidence.values({"dataset": "d1", "setting": "s", "method": "a", "metric": "auc"})
    assert cases["left"].iloc[0] == pytest.approx(np.std(own, ddof=1))
    gain = {"setting": "t", "minus": {"setting": "s"}}
    pairs = [{"left": {"method": "b", **gain}, "right": {"method": "a", **gain}}]
    for across, left, verdict in [("mean", -0.3, "does not hold"), ("magnitude", 0.3, "holds")]:
        row, cases = judge(evidence, each={"dataset": ["d1"]}, pairs=pairs, expect="greater", across=across)
        assert cases["left"].iloc[0] == pytest.approx(left, abs=0.02)
        assert (row["verdict"], row["repeats"]) == (verdict, "6")
    wins = {"wins_among": ["a", "b", "c"], "families": {"one": SETS[:5], "two": ["d6"]}}
    row, cases = judge(evidence, pairs=[{"left": {**wins, "method": "a"}, "right": {**wins, "method": "b"}}], expect="close")
    # a wins the first family and b the second: half each
    assert cases[["left", "right"]].iloc[0].tolist() == [50.0, 50.0]
    assert row["verdict"] == "holds"
    assert row["repeats"] == "36"


@pytest.mark.parametrize(
    ("reduce", "value"),
    [
        ({"reduce": "last"}, 3.5),
        ({"reduce": "max"}, 4.0),
        ({"reduce": "range"}, 2.0),
        ({"reduce": "fall"}, 0.5),
        ({"reduce": "at", "step": 0}, 2.0),
        ({"reduce": "near_best", "tolerance": 0.5}, 2.0),
        ({"reduce": "visible", "share": 0.6}, 2.0),
        ({"reduce": "max", "over": {"method": "b"}}, 2.0),
        ({"reduce": "max", "curve": "mean"}, 4.0),
    ],
)
def test_series_become_numbers(evidence, reduce, value):
    select = {"dataset": "d1", "setting": "s", "method": "a", "metric": "curve", **reduce}
    assert evidence.values(select).tolist() == pytest.approx([value] * (1 if "curve" in reduce else 6))


def test_slopes_and_descent_along_a_path():
    steps = np.array([1, 2, 5, 10, 30, 100, 300, 1000])
    side = np.linspace(0, 1, 21)
    x, _ = np.meshgrid(side, side)
    series = {"root": (steps, np.sqrt(steps)), "map": (np.arange(441), x.ravel())}
    tidy = results.result_rows(("p", "d", "s", "m", 0), TrialResult(scalars={"n": 1.0}, series=series))
    evidence = Evidence(tidy, results.concat([], results.TIMING_COLUMNS))
    select = {"dataset": "d", "setting": "s", "method": "m"}
    assert evidence.values({**select, "metric": "root", "reduce": "slope"}).tolist() == pytest.approx([0.5])
    left, right = [0.1, 0.5], [0.9, 0.5]
    for path, descent in [([right, left], 1.0), ([left, right], -1.0)]:
        found = evidence.values({**select, "metric": "map", "reduce": "descent", "path": path})
        assert found.tolist() == pytest.approx([descent], abs=0.01)


def test_series_side_by_side(evidence):
    common = {"each": {"dataset": ["d1"]}, "metric": "curve", "pairs": A_OVER_B}
    assert judge(evidence, **common, check="similar", threshold=0.9)[0]["verdict"] == "holds"
    assert judge(evidence, **common, check="similar", threshold=1.1)[0]["verdict"] == "does not hold"
    back = [{"left": {"method": "b"}, "right": {"method": "nobody"}}]
    assert judge(evidence, **{**common, "pairs": back}, check="similar", threshold=0.1)[0]["verdict"] == "pending"


def test_ranks_over_data_sets_and_over_repeats(evidence):
    ranks = {"check": "ranks", "treatments": {m: {"method": m} for m in "abc"}}
    relations = [{"differ": []}, {"better": ["a", "c"]}, {"same": ["a", "b"]}, {"better": ["c", "a"]}]
    row, cases = judge(evidence, **ranks, blocks=SETS, relations=relations)
    assert cases["status"].tolist() == ["holds", "holds", "holds", "fails"]
    assert row["verdict"] == "holds in part"
    means = pd.DataFrame(
        {m: [evidence.values({"dataset": d, "setting": "s", "method": m, "metric": "auc"}).mean() for d in SETS] for m in "abc"}
    )
    chi2 = stats.friedmanchisquare(*means.to_numpy().T).statistic
    assert cases["statistic"].iloc[0] == pytest.approx(5 * chi2 / (6 * 2 - chi2))
    _, cases = judge(evidence, **ranks, each={"dataset": ["d1"]}, relations=[{"better": ["a", "c"]}])
    assert (cases["n"].iloc[0], cases["status"].iloc[0]) == (6, "holds")
    row, _ = judge(evidence, **ranks, blocks=SETS[:3], relations=relations)
    assert row["verdict"] == "pending"


def test_what_is_missing_is_named_and_not_counted(evidence):
    row, cases = judge(evidence, each={"dataset": ["d1", "d7", "d8"]}, pairs=A_OVER_B, expect="greater")
    assert (row["verdict"], row["cases"], row["pending"], row["not_available"]) == ("holds", 1, 1, 1)
    reasons = cases.set_index("case")["reason"]
    assert reasons["d7, method A against method B"] == "d7 could not be had"
    assert "d8 s a has not been run" in reasons["d8, method A against method B"]
    assert judge(evidence, each={"dataset": ["d7"]}, pairs=A_OVER_B, expect="greater")[0]["verdict"] == "not available"
    row, cases = judge(evidence, each={"dataset": ["d1"]}, pairs=A_OVER_B, expect="close", test="wilcoxon", alpha=0.01)
    assert (row["verdict"], cases["reason"].iloc[0]) == ("pending", "6 repeats; the test needs 8")


def test_replacements_stand_ins_readings_and_prose(evidence):
    row, cases = judge(
        evidence,
        each={"dataset": [["d8", "d2"], "other", "d1"]},
        pairs=A_OVER_B,
        expect="greater",
        also={"backwards": {"pairs": [{"left": {"method": "b"}, "right": {"method": "a"}}]}},
        why={"holds": "Seen\n  before.", "does not hold": "Never seen."},
    )
    main = cases.loc[cases["reading"] == "", "case"]
    assert main.tolist() == [
        "d2, method A against method B",
        "Data 1, method A against method B",
    ]
    assert row["stand_in"] == "Data 1"
    assert row["also"] == "backwards: does not hold (0 of 2)"
    assert row["why"] == "Seen before."


def test_stand_ins_are_named_behind_ranks_and_wins_too(evidence):
    ranks = {"check": "ranks", "treatments": {m: {"method": m} for m in "abc"}, "relations": [{"differ": []}]}
    row, cases = judge(evidence, **ranks, blocks=["other", *SETS[1:]])
    assert row["stand_in"] == "Data 1"
    assert cases["datasets"].tolist() == [" ".join(SETS)]
    assert judge(evidence, **ranks, blocks=SETS[1:])[0]["stand_in"] == ""
    assert judge(evidence, **ranks, each={"dataset": ["other"]})[0]["stand_in"] == "Data 1"
    # d8 has no results, and does not count
    wins = {"wins_among": ["a", "b", "c"], "families": {"one": ["other", "d8"], "two": ["d6"]}}
    row, cases = judge(evidence, pairs=[{"left": {**wins, "method": "a"}, "right": {**wins, "method": "b"}}], expect="close")
    assert (row["stand_in"], cases["datasets"].tolist()) == ("Data 1", ["d1 d6"])
    # and where a pair itself names the data set
    pairs = [{"left": {"dataset": "other", "method": "a"}, "right": {"dataset": "d2", "method": "b"}}]
    assert judge(evidence, pairs=pairs, expect="close", tolerance=9)[0]["stand_in"] == "Data 1"


def test_unknown_words_are_named(evidence):
    with pytest.raises(ValueError, match="reduce='first'; expected one of last"):
        evidence.values({"dataset": "d1", "setting": "s", "method": "a", "metric": "curve", "reduce": "first"})


# ------------------------------------------------------------------------------------------- the papers' own claims


def claims_of(file):
    return yaml.safe_load(file.read_text(encoding="utf-8"))["claims"]


def letters(text):
    """Letters and digits alone: blanks, hyphens at line ends, and the marks of italics and mathematics make no difference."""
    return "".join(re.findall(r"[a-z0-9]", text.lower()))


def test_there_is_a_file_for_every_study():
    studies = {file.stem for file in (ROOT / "config" / "studies").glob("*.yaml")}
    assert {file.stem for file in FILES} == studies - {"bench"}  # what a user's table tells is not ours to claim


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_claims_fit_the_schema_and_quote_briefly(file):
    validate(read_yaml(file), ROOT / "workflow" / "schemas" / "claims.schema.yaml", str(file))
    claims = claims_of(file)
    assert len({claim["id"] for claim in claims}) == len(claims)
    too_long = [claim["id"] for claim in claims if len(claim["quote"].split()) > 15]
    assert not too_long


@pytest.mark.parametrize("file", [f for f in FILES if f.stem != "levelfield"], ids=lambda file: file.stem)
def test_quotations_are_in_the_study(file):
    study = TEXTS / f"{file.stem}.txt"
    if not study.is_file():
        pytest.skip(f"the paper's text {study.name} is not at hand (PULIB_PAPERS names its folder)")
    text = letters(study.read_text(encoding="utf-8"))
    missing = [claim["id"] for claim in claims_of(file) if letters(claim["quote"]) not in text]
    assert not missing


def printed(study, table):
    """The means of a paper's table, rows by columns; of an interval its middle."""
    cells = read_published(ROOT / "config" / "published" / f"{study}.csv", table)
    if "low" in cells:
        cells = cells.assign(mean=cells["mean"].fillna((cells["low"] + cells["high"]) / 2))
    return cells.pivot(index="row", columns="column", values="mean")


def share_held(holds):
    return f"{int(holds.to_numpy().sum())} of {holds.size}"


def near_upu(table):
    means = printed("opu", table)
    return share_held(means.drop(columns="UPU").sub(means["UPU"], axis=0).abs() <= 5 + 1e-9)


def above_rivals():
    means = printed("pces", "2")
    rivals = means.drop(columns=["SGBDota-1", "SGBDota-2", "SGBDota-3", "Random"])
    return share_held(pd.concat([rivals.rsub(means[own], axis=0) > 0 for own in ("SGBDota-1", "SGBDota-2")]))


def near_supervised():
    means = printed("puet", "4")
    counts = share_held(means["PU ET"] >= means["SupervisedET"] - 6)
    return counts.replace("5", "five").replace("7", "seven")


def resvm_wins(row, *methods):
    return [printed("resvm", "2.5").loc[row, f"{method} win %"] for method in methods]


def resvm_shares_when_semi_supervised():
    resvm, cwsvm = resvm_wins("semi-supervised, normalized", "RESVM", "CWSVM")
    return f"{resvm} and {cwsvm}% in the paper's table, which is {resvm / cwsvm:.1f} times"


#: What a claim says that the paper's own table has, by paper and claim.
IN_THE_PAPER = {
    ("opu", "close-to-upu"): lambda: f"({near_upu('1')} cells of the paper's table)",
    ("opu", "images-close-to-upu"): lambda: f"({near_upu('2')} cells of the paper's table)",
    ("pces", "exceeds-the-state-of-the-art"): lambda: f"({above_rivals()} in the paper's table)",
    ("puet", "near-supervised"): lambda: f"({near_supervised()} in the paper)",
    ("puet", "seconds-per-tree"): lambda: (
        f"(the greatest time in the paper's table 8 is {printed('puet', '8')['PU ET'].max()} s)"
    ),
    ("resvm", "marginal-improvement"): lambda: (
        f"({share_held(printed('resvm', '2.3')['RESVM'] > printed('resvm', '2.3')['BAG'])} in the paper's table)"
    ),
    ("resvm", "little-difference-supervised"): lambda: "({:.0f}, {:.0f} and {:.0f}% in the paper)".format(
        *resvm_wins("supervised, normalized", "CWSVM", "BAG", "RESVM")
    ),
    ("resvm", "far-ahead-of-cwsvm"): resvm_shares_when_semi_supervised,
}


def test_counts_that_claims_quote_follow_from_the_published_tables():
    tested = {(file.stem, claim["id"]): claim["tested"] for file in FILES for claim in claims_of(file)}
    for place, words in IN_THE_PAPER.items():
        assert words() in tested[place], place
    number_of_the_study = re.compile(r"\((?=[^)]*(?:\d|five))[^)]*(?<!as )\b(?:in|of) the paper")
    quoting = {place for place, text in tested.items() if number_of_the_study.search(text)}
    assert quoting == set(IN_THE_PAPER)


def test_a_quoted_factor_is_the_one_that_is_tested():
    factors = [claim["quote"] for file in FILES for claim in claims_of(file) if claim.get("expect") == "times"]
    assert factors
    assert [quote for quote in factors if quote.count(" times ") > 1] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_methods_settings_and_data_sets_are_configured(file):
    """A misspelled name would wait for its results for ever."""
    from pulib.datasets.registry import load_registry

    study = yaml.safe_load((ROOT / "config" / "studies" / file.name).read_text(encoding="utf-8"))
    known = {
        "method": set(yaml.safe_load((ROOT / "config" / "methods.yaml").read_text(encoding="utf-8"))),
        "setting": set(study["settings"]),
        "dataset": set(load_registry()),
    }
    unknown = set()

    def walk(value, key=None):
        if isinstance(value, dict):
            for name, part in value.items():
                walk(part, name)
        elif isinstance(value, list):
            for part in value:
                walk(part, key)
        elif key in known and value not in known[key]:
            unknown.add((key, value))

    walk(claims_of(file))
    assert not unknown
