"""Claims: every helper on results made up for it, and the papers' sentences as they stand in the papers."""

import os
import re
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pulab.claims import Evidence, Missing, Numbers, claim, claims_of, judge_claims
from pulab.claims.cases import compare, ranks, share_of_cases, trend
from pulab.claims.registry import THEMES, Claim
from pulab.plan.load import folder_of, load_study, study_names
from pulab.reports.claims import score
from pulab.tables import Paper
from pulab.trials import results
from pulib.datasets import load_registry
from tests.pulab.toy import study_of

ROOT = Path(__file__).parents[2]
TEXTS = Path(os.environ.get("PULIB_PAPERS", ROOT.parent / "shared" / "papers"))
STUDIES = {name: load_study(name) for name in study_names()}
CLAIMS = {name: claims_of(study) for name, study in STUDIES.items()}
#: Those that repeat a paper.
OF_PAPERS = [name for name, study in STUDIES.items() if study.repeats_paper]
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
    rows.append(["p", "d7", "s", "a", 0, "", -1, np.nan, "unavailable", "d7 could not be downloaded"])
    tidy = results.typed(pd.DataFrame(rows, columns=results.COLUMNS), results.COLUMNS)
    timings = results.typed(pd.DataFrame(times, columns=results.TIMING_COLUMNS), results.TIMING_COLUMNS)
    return Evidence(tidy, timings, {"other": "d1"}, labels=LABELS)


AUC = Numbers(setting="s", metric="auc")
CURVE = Numbers(dataset="d1", setting="s", method="a", metric="curve")


def on(*datasets, numbers=AUC):
    """Method a against method b, on each data set."""
    return [(numbers(dataset=name, method="a"), numbers(dataset=name, method="b")) for name in datasets]


def made_claim(cases, **details):
    return Claim(cases, **{"id": "x", "section": "1", "quote": "q", "tested": "t", **details})


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
    same = list(ranks(evidence, {m: AUC(method=m) for m in "abc"}, [("same", "a", "b")], over=SETS))
    assert "finds no difference" in judge(evidence, same)[0]["weak"]
    auc = AUC(dataset="d1", method="a")
    value = float(evidence.values(auc).mean())
    for factor, weak in ((0.1, True), (0.4, False)):
        far = list(compare(evidence, [(auc, factor * value)], "greater"))
        assert bool(judge(evidence, far)[0]["weak"]) == weak, factor
        far = list(compare(evidence, [(value / factor, auc)], "greater"))
        assert bool(judge(evidence, far)[0]["weak"]) == weak, factor


def test_the_verdict_is_also_given_at_thresholds_a_little_lower_and_higher(evidence):
    auc = AUC(dataset="d1", method="a")
    value = float(evidence.values(auc).mean())

    def judged(need="all", exact=False, scale=0.95):
        claim = made_claim(lambda e: compare(e, [(auc, scale * value)], "greater", exact=exact), need=need)
        return judge_claims("p", [claim], evidence)[0].iloc[0]

    row = judged()
    assert (row["verdict"], row["lower"], row["higher"]) == ("holds", "holds (1 of 1)", "does not hold (0 of 1)")
    row = judged(exact=True)  # what the sentence says is no threshold of ours
    assert (row["verdict"], row["lower"], row["higher"]) == ("holds", "", "")
    shares = made_claim(lambda e: [share_of_cases("x", [True] * 53 + [False] * 47)])
    row = judge_claims("p", [shares], evidence)[0].iloc[0]
    assert (row["lower"], row["higher"]) == ("holds (1 of 1)", "does not hold (0 of 1)")
    row, shown = judge(evidence, list(compare(evidence, on("d1"), "greater")))
    assert (row["lower"], row["higher"]) == ("", "")
    low, high = shown[["low", "high"]].iloc[0]
    differences = evidence.values(auc) - evidence.values(AUC(dataset="d1", method="b"))
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 5, differences.mean(), stats.sem(differences)))
    assert f"95% {low:+.1f} to {high:+.1f}" in row["numbers"].replace("−", "-")


def test_a_part_that_is_not_in_its_sentence_is_an_error():
    with pytest.raises(ValueError, match="part='b' is not in its sentence"):
        made_claim(lambda e: [], quote="a", part="b")
    with pytest.raises(ValueError, match="theme='taste'; expected one of"):
        made_claim(lambda e: [], theme="taste")


def test_a_claim_whose_missing_cases_could_turn_it_is_not_tested_in_full(evidence):
    held, gone = list(compare(evidence, on(*SETS[:2]), "greater")), list(compare(evidence, on("d7"), "greater"))
    assert [case.status for case in gone] == ["not available"]
    assert verdict(evidence, [*held, *gone]) == "holds"  # a third is missing
    assert verdict(evidence, [*held, *gone, *gone]) == "not tested in full"
    assert verdict(evidence, [*held, *gone, *gone], need="any") == "holds"  # whatever the others would give
    fails = list(compare(evidence, on("d6"), "greater"))
    assert verdict(evidence, [*fails, *gone]) == "not tested in full"
    row, _ = judge(evidence, [*held, *gone, *gone], why={"holds": "Because."})
    assert (row["held"], row["cases"], row["not_available"], row["why"]) == (2, 2, 2, "Because.")


def test_a_claim_says_by_which_reading_the_opposite_holds(evidence):
    def cases(evidence, sets=SETS[:2]):
        return compare(evidence, on(*sets), "greater")

    also = {"on d6": {"sets": ["d6"]}, "on all": {"sets": SETS}, "on d3": {"sets": ["d3"]}}
    row = judge_claims("p", [made_claim(cases, also=also, weak="it is easy")], evidence)[0].iloc[0]
    assert (row["verdict"], row["contradicted"], row["weak"]) == ("holds", "on d6", "it is easy")
    said = score(row)
    assert said == "holds (2 of 2); the opposite by another reading (on d6); a weak test: it is easy"


def test_what_most_cases_show_comes_with_its_chance(evidence):
    row, _ = judge(evidence, compare(evidence, on(*SETS), "greater"), need="most")
    assert row["chance"] == pytest.approx(stats.binomtest(5, 6, alternative="greater").pvalue)
    assert score(row) == "holds (5 of 6, p = 0.11)"
    assert np.isnan(judge(evidence, compare(evidence, on(*SETS), "greater"))[0]["chance"])


def test_all_cases_or_a_part_of_them(evidence):
    row, cases = judge(evidence, compare(evidence, on(*SETS), "greater"))
    assert (row["verdict"], row["held"], row["cases"], row["repeats"]) == ("holds in part", 5, 6, "6")
    assert cases.set_index("case")["status"]["d6, method A against method B"] == "fails"
    assert "against it: d6" in row["numbers"]
    assert verdict(evidence, compare(evidence, on(*SETS[:5]), "greater")) == "holds"
    assert verdict(evidence, compare(evidence, on("d6"), "greater")) == "does not hold"


def test_as_many_repeats_as_the_study_says_or_the_claim(evidence):
    first = Evidence(evidence.results, evidence.timings, {"other": "d1"}, first_repeats=3)
    row, cases = judge(first, compare(first, on("d1"), "greater"))
    rows = evidence.results.query("dataset == 'd1' and setting == 's' and method == 'a' and metric == 'auc' and repeat < 3")
    assert (row["repeats"], cases["left"].item()) == ("3", pytest.approx(rows["value"].mean()))
    row, _ = judge(first, compare(first, on("d1", numbers=AUC(first_repeats=5)), "greater"))
    assert row["repeats"] == "5"


@pytest.mark.parametrize(
    ("need", "sets", "expected"),
    [
        ("most", SETS, "holds"),
        ("most", ["d1", "d6"], "does not hold"),
        ("any", ["d1", "d6"], "holds"),
        ("any", ["d6"], "does not hold"),
    ],
)
def test_most_and_any(evidence, need, sets, expected):
    assert verdict(evidence, compare(evidence, on(*sets), "greater"), need=need) == expected


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_tests_agree_with_scipy_and_holm_counts_what_is_left(evidence, test):
    row, cases = judge(evidence, compare(evidence, on(*SETS), "greater", test=test))
    a, b = (evidence.values(AUC(dataset="d2", method=m)) for m in "ab")
    scipys = {"t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}[test]
    found = cases.set_index("case").loc["d2, method A against method B"]
    assert found["pvalue"] == pytest.approx(scipys(a, b, alternative="greater").pvalue)
    # six pairs reach 1/64 by ranks, which Holm's correction over six tests does not let pass
    assert row["held"] == 5
    assert row["held_holm"] == {"t": 5, "wilcoxon": 0}[test]
    assert np.isnan(judge(evidence, compare(evidence, on(*SETS), "not_less", test=test))[0]["held_holm"])


@pytest.mark.parametrize(
    ("expect", "how", "expected"),
    [
        ("close", {"tolerance": 0.2}, "holds"),
        ("close", {"tolerance": 0.05}, "does not hold"),
        ("close", {"test": "t"}, "does not hold"),
        ("greater", {"margin": 0.2}, "does not hold"),
        ("greater", {"at_most": 0.05}, "does not hold"),
        ("greater", {"at_most": 0.2}, "holds"),
        ("greater", {"least": 6}, "holds"),
        ("close", {"tolerance": 20.0, "unit": "%"}, "holds"),
        ("close", {"tolerance": 0.2, "unit": "%"}, "does not hold"),
    ],
)
def test_what_is_expected_of_a_left_side_that_is_greater(evidence, expect, how, expected):
    evidence = evidence.in_unit(how.pop("unit", ""))
    assert verdict(evidence, compare(evidence, on("d1"), expect, **how)) == expected


def test_not_less_times_and_thresholds(evidence):
    swapped = [(b, a) for a, b in on("d1")]
    assert verdict(evidence, compare(evidence, swapped, "not_less", tolerance=0.2)) == "holds"
    assert verdict(evidence, compare(evidence, swapped, "not_less", tolerance=0.05)) == "does not hold"
    assert verdict(evidence, compare(evidence, swapped, "not_less", test="t")) == "does not hold"
    fit = Numbers(setting="s", metric="fit", timed=True)
    slower = [(b, a) for a, b in on("d1", numbers=fit)]
    row, _ = judge(evidence, compare(evidence, slower, "times", factor=9), unit="s")
    assert row["verdict"] == "holds"
    assert "10.0 and 1.0 s" in row["numbers"]
    assert verdict(evidence, compare(evidence, slower, "times", factor=11)) == "does not hold"
    # settings differ by as much as methods do: which of them is greater is chance, and no case of a test
    alike = (AUC(dataset="d1", method="a", setting="t"), AUC(dataset="d1", method="b"))
    for test, held in ((None, 1), ("t", 0)):
        found = [verdict(evidence, compare(evidence, [pair], "greater", test=test)) for pair in (alike, alike[::-1])]
        assert found.count("holds") == held
    for pair, side in [((AUC(dataset="d1", method="a"), 9.0), "left"), ((9.0, AUC(dataset="d1", method="a")), "right")]:
        row, cases = judge(evidence, compare(evidence, [pair], "greater"))
        assert row["verdict"] == ("does not hold" if side == "left" else "holds")
        assert "threshold 9.0" in row["numbers"]
        assert cases["threshold"].item() == {"left": "right", "right": "left"}[side]
    row, cases = judge(evidence, compare(evidence, on("d1"), "greater", least=7))
    assert (row["verdict"], cases["reason"].iloc[0]) == ("not available", "6 of the 7 repeats that it needs are stored")


def of_five(values):
    """The mean over repeats, of which it needs five."""
    if len(values) < 5:
        raise Missing("pending", "a mean needs 5")
    return values.mean()


def test_losses_between_settings_and_numbers_across_repeats(evidence):
    drops = [(b, a) for a, b in on("d1", numbers=AUC(less={"setting": "t"}))]
    row, cases = judge(evidence, compare(evidence, drops, "greater", margin=0.1))
    assert row["verdict"] == "holds"
    assert cases["left"].iloc[0] == pytest.approx(0.3, abs=0.02)
    _, cases = judge(evidence, compare(evidence, on("d1", numbers=AUC(across=pd.Series.std)), "greater"))
    own = evidence.values(AUC(dataset="d1", method="a"))
    assert cases["left"].iloc[0] == pytest.approx(np.std(own, ddof=1))
    _, cases = judge(evidence, compare(evidence, on("d1", numbers=AUC(across=of_five, first_repeats=4)), "greater"))
    assert cases["reason"].iloc[0] == "4 repeats of d1 s a; a mean needs 5"
    gain = AUC(setting="t", less={"setting": "s"})
    for across, left, expected in [(of_five, -0.3, "does not hold"), (lambda values: -values.mean(), 0.3, "holds")]:
        gains = [(b, a) for a, b in on("d1", numbers=gain(across=across))]
        row, cases = judge(evidence, compare(evidence, gains, "greater"))
        assert cases["left"].iloc[0] == pytest.approx(left, abs=0.02)
        assert (row["verdict"], row["repeats"]) == (expected, "6")


def test_a_number_made_of_few_repeats_does_not_pass_for_one_of_many(evidence):
    mean = AUC(dataset="d1", method="a", across=pd.Series.mean)
    row, _ = judge(evidence, compare(evidence, [(mean, mean(method="b", first_repeats=2))], "greater"))
    assert row["repeats"] == "2"


@pytest.mark.parametrize(
    ("how", "value"),
    [
        ({"reduce": pd.Series.max}, 4.0),
        ({"reduce": np.ptp}, 2.0),
        ({"step": 0}, 2.0),
        ({"reduce": pd.Series.max, "divided_by": {"method": "b"}}, 2.0),
        ({"reduce": pd.Series.max, "mean_series": True}, 4.0),
    ],
)
def test_series_become_numbers(evidence, how, value):
    assert evidence.values(CURVE(**how)).tolist() == pytest.approx([value] * 6)


def test_series_side_by_side(evidence):
    pairs = [(CURVE, CURVE(method="b"))]
    row, _ = judge(evidence, trend(evidence, pairs, least=0.9))
    assert row["verdict"] == "holds"
    assert "rank correlation 1.00" in row["numbers"]
    assert verdict(evidence, trend(evidence, pairs, least=1.1)) == "does not hold"
    assert verdict(evidence, trend(evidence, [(CURVE, CURVE(method="nobody"))], least=0.1)) == "pending"


def test_a_series_that_is_none_and_a_step_that_is_not_there_are_named(evidence):
    _, cases = judge(evidence, compare(evidence, [(AUC(dataset="d1", method="a", step=1), CURVE(step=9))], "greater"))
    assert cases["reason"].item() == "d1 s a: auc is not stored as a series"
    _, cases = judge(evidence, compare(evidence, [(CURVE(step=9), CURVE(step=1))], "greater"))
    assert cases["reason"].item() == "d1 s a: no step 9"
    _, cases = judge(evidence, compare(evidence, [(CURVE, CURVE(step=1))], "greater"))
    assert cases["reason"].item() == "d1 s a: curve is a series; say how to reduce it"


RELATIONS = [("differ",), ("better", "a", "c"), ("same", "a", "b"), ("better", "c", "a")]
SIDES = {m: AUC(method=m) for m in "abc"}


def test_ranks_over_data_sets_and_over_repeats(evidence):
    row, cases = judge(evidence, ranks(evidence, SIDES, RELATIONS, over=SETS))
    assert cases["status"].tolist() == ["holds", "holds", "holds", "fails"]
    assert (row["verdict"], row["repeats"]) == ("holds in part", "")
    means = pd.DataFrame({m: [evidence.values(AUC(dataset=d, method=m)).mean() for d in SETS] for m in "abc"})
    chi2 = stats.friedmanchisquare(*means.to_numpy().T).statistic
    assert cases["statistic"].iloc[0] == pytest.approx(5 * chi2 / (6 * 2 - chi2))
    within = {m: AUC(dataset="d1", method=m) for m in "abc"}
    _, cases = judge(evidence, ranks(evidence, within, [("better", "a", "c")], where="d1"))
    assert (cases["n"].iloc[0], cases["status"].iloc[0]) == (6, "holds")
    assert cases["case"].item() == "Data 1, method A before c"
    row, cases = judge(evidence, ranks(evidence, SIDES, RELATIONS, over=SETS[:3]))
    assert (row["verdict"], cases["reason"].item()) == ("pending", "3 data sets with all of a, b, c; 5 are needed")


def test_what_is_missing_is_named_and_not_counted(evidence):
    row, cases = judge(evidence, compare(evidence, on("d1", "d7", "d8"), "greater"))
    assert (row["verdict"], row["cases"], row["pending"], row["not_available"]) == ("holds", 1, 1, 1)
    reasons = cases.set_index("case")["reason"]
    assert reasons["d7, method A against method B"] == "d7 could not be downloaded"
    assert "d8 s a has not been run" in reasons["d8, method A against method B"]
    assert verdict(evidence, compare(evidence, on("d7"), "greater")) == "not available"
    row, cases = judge(evidence, compare(evidence, on("d1", numbers=AUC(first_repeats=5)), "close", test="wilcoxon"))
    assert (row["verdict"], cases["reason"].iloc[0]) == ("pending", "5 repeats; the test needs 6")


def test_replacements_stand_ins_readings_and_prose(evidence):
    def claimed(evidence, backwards=False):
        pairs = on(("d8", "d2"), "other", "d1")
        yield from compare(evidence, [pair[::-1] for pair in pairs] if backwards else pairs, "greater")

    made = made_claim(claimed, also={"backwards": {"backwards": True}}, why={"holds": "Seen.", "does not hold": "Never seen."})
    table, cases = judge_claims("p", [made], evidence)
    row = table.iloc[0]
    main = cases.loc[cases["reading"] == "", "case"]
    assert main.tolist() == [
        "d2, method A against method B",
        "Data 1, method A against method B",
    ]
    assert row["stand_in"] == "Data 1"
    assert row["also"] == "backwards: does not hold (0 of 2)"
    assert row["why"] == "Seen."


def test_stand_ins_are_named_behind_ranks_too(evidence):
    row, cases = judge(evidence, ranks(evidence, SIDES, [("differ",)], over=["other", *SETS[1:]]))
    assert row["stand_in"] == "Data 1"
    assert cases["datasets"].tolist() == [" ".join(SETS)]
    assert judge(evidence, ranks(evidence, SIDES, [("differ",)], over=SETS[1:]))[0]["stand_in"] == ""
    within = {m: AUC(dataset="other", method=m) for m in "abc"}
    assert judge(evidence, ranks(evidence, within, [("differ",)]))[0]["stand_in"] == "Data 1"
    pair = (AUC(dataset="other", method="a"), AUC(dataset="d2", method="b"))
    assert judge(evidence, compare(evidence, [pair], "close", tolerance=9))[0]["stand_in"] == "Data 1"


def test_unknown_words_are_named(evidence):
    with pytest.raises(ValueError, match="expect='more'; expected greater"):
        list(compare(evidence, on("d1"), "more"))
    with pytest.raises(ValueError, match="claim x: need='some'; expected all, most or any"):
        made_claim(list, need="some")
    with pytest.raises(ValueError, match="claim x: why names no verdict by 'hold'"):
        made_claim(list, why={"hold": "because"})


def test_claims_are_found_in_their_order_and_have_names_of_their_own(monkeypatch):
    from pulab.claims import registry

    monkeypatch.setattr(registry, "_REGISTERED", {})
    monkeypatch.setattr(registry, "find_spec", lambda module: module)
    monkeypatch.setattr(registry, "import_module", lambda module: None)

    def registered(module, name, place):
        def function(evidence):
            return []

        function.__module__, function.__name__, function.__qualname__ = module, name, place
        claim(section="1", quote="q")(function)

    toy = study_of(module="toy")
    registered("toy.claims.part", "b", "b")
    registered("toy.claims", "a", "a")
    for other in ("toy.claims_of_another", "toy", "toys.claims"):
        registered(other, "c", "c")
    assert [made.id for made in claims_of(toy)] == ["b", "a"]
    assert claims_of(study_of(module="to")) == []
    registered("toy.claims.part", "a", "another")
    with pytest.raises(ValueError, match=r"toy\.claims: two claims are called 'a'"):
        claims_of(toy)


def test_a_study_without_a_module_of_claims_has_none():
    assert claims_of(study_of(module="pulab.plan")) == []


def test_a_misspelled_metric_is_named(evidence):
    _, cases = judge(evidence, compare(evidence, on("d1", numbers=AUC(metric="acu")), "greater"))
    assert cases["reason"].item() == "no trial measures 'acu' (did you mean 'auc'?)"


def test_a_share_of_cases_is_named_as_people_read_it(evidence):
    words = evidence.words("d1", "a", "")
    assert share_of_cases(words, [True, False]).case == "Data 1, method A (1 of 2)"
    assert share_of_cases(words, [True, False]).status == "fails"
    assert share_of_cases(words, [True, True, False]).status == "holds"
    assert share_of_cases("nothing", []).status == "pending"


# ------------------------------------------------------------------------------------------- the papers' own claims


#: How the papers' texts write what a page shows as a sign; and how one of them repeats its formulas.
COMMANDS = (
    r"\\(?:mathcal|overline|text|rm|hat|frac|neq|leq|lambda|alpha|[lr]ceil|sqrt)|\([^()]*\)formulae-sequence[^(]*|\\gamma"
)


def letters(text):
    """Letters and digits alone: blanks, hyphens at line ends, and the marks of italics and mathematics make no difference."""
    text = unicodedata.normalize("NFKC", re.sub(COMMANDS, "", text))
    return "".join(re.findall(r"[a-z0-9]", text.lower()))


def quoted(sentence, text):
    """Whether a text has the sentence, which the end of a page may interrupt once."""
    words = sentence.split()
    whole = letters(sentence) in text
    return whole or any(all(letters(" ".join(p)) in text for p in (words[:k], words[k:])) for k in range(2, len(words) - 1))


def test_every_study_of_a_paper_has_claims():
    assert OF_PAPERS
    assert [name for name in OF_PAPERS if not CLAIMS[name]] == []


@pytest.mark.parametrize("study", CLAIMS)
def test_claims_are_named_plainly(study):
    assert [own.id for own in CLAIMS[study] if not re.fullmatch("[a-z0-9-]+", own.id)] == []


@pytest.mark.parametrize("study", OF_PAPERS)
def test_claims_of_papers_are_whole_sentences_with_a_theme(study):
    for own in CLAIMS[study]:
        assert own.theme in THEMES, own.id
        assert own.quote[0].isupper() or own.quote.startswith("nnPU"), own.id
        assert re.search(r"[.:]$", own.quote), own.id
        assert own.part in own.quote
    sentences = [own.quote for own in CLAIMS[study]]
    assert [own.id for own in CLAIMS[study] if sentences.count(own.quote) > 1 and not own.part] == []


@pytest.mark.parametrize("study", OF_PAPERS)
def test_quotations_are_in_the_study(study):
    file = TEXTS / f"{study}.txt"
    if not file.is_file():
        pytest.skip(f"the paper's text {file.name} is not at hand (PULIB_PAPERS names its folder)")
    text = letters(file.read_text(encoding="utf-8"))
    assert [own.id for own in CLAIMS[study] if not quoted(own.quote, text)] == []


def printed(study, table):
    """The means of a paper's table, rows by columns; of an interval its middle."""
    cells = Paper.read(folder_of(STUDIES[study]) / "published.csv").table(table)
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
    return f"at least {resvm / cwsvm:.1f} times CWSVM's ({resvm} and {cwsvm}% in the paper's table)"


#: What a claim says that the paper's own table has, by paper and claim.
IN_THE_PAPER = {
    ("opu", "close-to-upu"): lambda: f"({near_upu('1')} cells of the paper's table)",
    ("opu", "images-close-to-upu"): lambda: f"({near_upu('2')} cells of the paper's table)",
    ("pces", "exceeds-the-state-of-the-art"): lambda: f"({above_rivals()} in the paper's table)",
    ("puet", "near-supervised"): lambda: f"({near_supervised()} in the paper)",
    ("puet", "seconds-per-tree"): lambda: (
        f"(the longest time in the paper's table 8 is {printed('puet', '8')['PU ET'].max()} s)"
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
    tested = {(study, own.id): own.tested for study, claims in CLAIMS.items() for own in claims}
    for place, words in IN_THE_PAPER.items():
        assert words() in tested[place], place
    number_of_the_study = re.compile(r"\((?=[^)]*(?:\d|five))[^)]*(?<!as )\b(?:in|of) the paper")
    quoting = {place for place, text in tested.items() if number_of_the_study.search(text)}
    assert quoting == set(IN_THE_PAPER)


class Spy(Evidence):
    """Noise for whatever is asked for, which it remembers."""

    def __init__(self):
        super().__init__(results.concat([], results.COLUMNS), results.concat([], results.TIMING_COLUMNS))
        self.asked = []

    def _by_repeat(self, numbers):
        self.asked.append(numbers)
        return pd.Series(np.random.default_rng(len(self.asked)).random(40))

    def series(self, numbers):
        self.asked.append(numbers)
        return pd.DataFrame(np.random.default_rng(len(self.asked)).random((40, 201)))


@pytest.mark.parametrize("study", OF_PAPERS)
def test_methods_settings_data_sets_and_metrics_are_known(study):
    """A misspelled name would wait for its results for ever."""
    own = STUDIES[study]
    known = {"method": set(own.methods_of("paper")), "setting": set(own.settings_of("paper")), "dataset": set(load_registry())}
    tidy = [ROOT / "figures" / "paper" / "tidy" / f"{study}{kind}.parquet" for kind in ("", ".timings")]
    known["metric"] = {name for file in tidy for name in pd.read_parquet(file, columns=["metric"])["metric"].unique()}
    spy, unknown = Spy(), set()
    judge_claims(study, CLAIMS[study], spy)
    for numbers in spy.asked:
        datasets = [numbers.dataset] if isinstance(numbers.dataset, str) else numbers.dataset
        names = [
            *((key, getattr(numbers, key)) for key in ("setting", "method", "metric")),
            *(("dataset", d) for d in datasets),
        ]
        unknown |= {(key, name) for key, name in names if name not in known[key]}
    assert not unknown
    assert len(spy.asked) > len(CLAIMS[study])
