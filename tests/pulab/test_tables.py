"""Cells, verdicts and renderings of comparison tables; and the table of data sets: what is there, what is not and why."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from pulab.plan.experiment import StudyError
from pulab.plan.identity import loader_names
from pulab.plan.study import Cause, Shown
from pulab.plan.versions import LOADERS
from pulab.tables import Paper, Place, add_verdicts, cells_of, comparison, markup, read_cells, sheet_of
from pulab.tables.datasets import dataset_overview, dataset_sheet, keep_known
from pulab.tables.markup import Prose
from pulab.tables.record import RECORD_COLUMNS, write_cells
from pulab.tables.render import fewer_repeats
from pulab.tables.sheet import Grid, Sheet, read_sheet
from pulab.trials import results
from pulab.trials.trial import TrialResult
from pulib.datasets import load_registry

ROOT = Path(__file__).parents[2]
REGISTRY = load_registry()
PUBLISHED = pd.DataFrame(
    {
        "study": "p",
        "table": "2",
        "row": ["MNIST", "MNIST", "Covtype", "Covtype"],
        "column": ["A", "B", "A", "B"],
        "mean": [93.6, 50.0, 76.0, 70.0],
        "sd": [0.4, np.nan, 0.5, 0.5],
        "unit": "%",
    }
)
ROWS = [Place("MNIST", {"dataset": "mnist"}), Place("Covtype", {"dataset": "covtype"})]
COLUMNS = [Place("A", {"method": "a"}), Place("B", {"method": "b"})]


def tidy():
    parts = [
        results.result_rows(("p", d, "s", m, r), TrialResult(scalars={"accuracy": v}, series={"curve": np.ones(2)}))
        for d, m, values in [("mnist", "a", [0.93, 0.94]), ("mnist", "b", [0.55, 0.57])]
        for r, v in enumerate(values)
    ]
    parts.append(results.status_rows(("p", "covtype", "s", "a", 0), "failed", "ValueError: bad_C = 3"))
    return results.concat(parts, results.COLUMNS)


def cells(rows=ROWS, columns=COLUMNS, *, paper=PUBLISHED, stand_ins=(), timings=None, **options):
    """The cells of a comparison, by default of accuracies."""
    made_from = SimpleNamespace(shown=Shown("T"), tidy=tidy(), timings=timings, stand_ins=dict(stand_ins))
    return comparison(made_from, Paper(paper), "2", rows, columns, **{"metric": "accuracy", "scale": 100, **options}).cells


def test_cells_are_records_from_the_table_to_its_file_and_back(tmp_path):
    """One list of attributes from the table to its file and back; a misspelled attribute is no attribute."""
    made = cells_of([{"row": "MNIST", "column": "A", "ours": 93.5, "low": 92.0, "high": 95.0, "stand_in": np.nan}])
    assert list(made) == list(cells()) == RECORD_COLUMNS
    assert made.loc[0, ["stand_in", "status", "scale", "n"]].tolist() == ["", "ok", 1.0, 0]
    with pytest.raises(TypeError, match="publised"):
        cells_of([{"row": "MNIST", "column": "A", "publised": 93.6}])
    write_cells(pd.concat([made, cells()]), tmp_path / "cells.csv")
    assert not {"tasks", "mark", "verdict"} & {*pd.read_csv(tmp_path / "cells.csv")}, "what no cell has"
    write_cells(cells_of([]), tmp_path / "none.csv")
    assert read_cells(tmp_path / "none.csv").empty, "a table without cells is read as one"
    again = read_cells(tmp_path / "cells.csv")
    assert list(again) == RECORD_COLUMNS
    shown = ["row", "column", "ours", "ours_sd", "low", "published", "verdict", "stand_in", "note"]
    pd.testing.assert_frame_equal(
        again[shown], pd.concat([made, cells()], ignore_index=True)[shown], check_dtype=False, rtol=1e-5
    )


def test_a_table_of_times_says_why_a_trial_has_none():
    timings = results.timing_rows(("p", "mnist", "s", "a", 0), {"fit": 2.0}, "a machine")
    frame = cells(timings=timings, timed=True, metric="fit", scale=1).set_index(["row", "column"])
    assert frame.loc[("MNIST", "A"), ["ours", "n", "status"]].tolist() == [2.0, 1, "ok"]
    assert frame.loc[("Covtype", "A"), ["status", "note"]].tolist() == ["failed", "ValueError: bad_C = 3"]
    assert frame.loc[("MNIST", "B"), "status"] == "not run"


def test_the_middle_of_a_published_interval_is_its_mean():
    ends = PUBLISHED.assign(low=[1.0, 48.0, 1.0, 1.0], high=[2.0, 53.0, 2.0, 2.0])
    ends.loc[ends["column"] == "B", "mean"] = np.nan
    frame = cells(paper=ends).set_index(["row", "column"])
    assert frame.loc[("MNIST", "A"), "published"] == 93.6
    assert frame.loc[("MNIST", "B"), "published"] == 50.5


def judged(**options):
    return add_verdicts(cells(**options), causes=[Cause(column="B", cause="reading", why="The labels differ.")])


def test_stand_ins_are_named_and_special_latex_characters_are_escaped():
    stood_in = sheet_of(judged(stand_ins={"mnist": "mnist"}), title="Table 2").markdown()
    assert "MNIST (stand-in: mnist)" in stood_in
    assert "|93.50 (0.71) · *93.60 (0.40)*|" in stood_in
    assert "verdict" not in stood_in
    latex = sheet_of(judged(), title="50% & more").latex("t")
    assert r"50\% \& more" in latex
    assert r"failed: ValueError: bad\_C = 3 (Covtype / A)" in latex
    assert "reading: The labels differ. (MNIST / B $\\neq$ +6.0)" in latex
    assert latex.count(r"\\") >= 4


def texts_of_tables():
    """What may come into a table: names, captions and remarks of studies, words of the program, published marks."""
    for pattern in (
        "config/**/*.yaml",
        "studies/*/published.csv",
        "studies/**/*.py",
        "studies/*/templates/*",
        "pulab/tables/templates/*",
        "pulab/tables/*.py",
        "pulab/reports/*.py",
        "figures/paper/**/*.*",
    ):
        for file in ROOT.glob(pattern):
            if file.suffix in (".yaml", ".csv", ".py", ".md", ".tex", ".jinja"):
                yield file.read_text(encoding="utf-8")


def test_latex_has_no_character_that_pdflatex_lacks():
    signs = {sign for text in texts_of_tables() for sign in re.findall("[^\x00-\x7f\u0305]\u0302?|.\u0305", text)}
    assert {"ν", "⌈", "⌉", "√", "×", "⁻", "⁵", "²", "µ", "−"} <= signs
    label = "".join(sorted(signs)) + "Müller, Šidák"
    frame = cells().replace("MNIST", label).assign(note=label)
    text = sheet_of(frame, title=label, caption=label).latex("t")
    # inputenc and T1 have Latin letters with accents
    left = {sign for sign in text if ord(sign) > 127 and not (sign.isalpha() and ord(sign) < 0x180)}
    assert not left
    assert "Müller, Šidák" in text
    assert markup.latex("10⁻⁵ of π̂, x̂ < |P|") == r"10$^{-}$$^{5}$ of $\hat{\pi}$, $\hat{x}$ \textless{} \textbar{}P\textbar{}"
    assert markup.latex("a_b & {50%} ~ 2^3 \\ #1") == (
        r"a\_b \& \{50\%\} \textasciitilde{} 2\textasciicircum{}3 \textbackslash{} \#1"
    )


def test_cells_with_fewer_repeats_than_their_row_and_column_are_named():
    frame = pd.DataFrame({"row": list("rrrsss"), "column": list("ABCABC"), "status": "ok", "n": [5, 1, 5, 4, 5, 5]})
    assert fewer_repeats(frame) == ["only 1 repeat (r / B)", "only 4 repeats (s / A)"]
    assert fewer_repeats(frame.assign(n=[5, 5, 5, 3, 3, 3])) == []  # a row that is repeated less by design
    assert fewer_repeats(frame.assign(n=[5, 5, 4, 5, 5, 4])) == []  # a column that counts something else
    assert fewer_repeats(frame.assign(status="not run")) == []


HOSTILE = "<!--<script>alert(1)</script> ![x](http://example.org/x.png) [a](javascript:alert(1)) |`*_\\"


def test_a_label_means_itself_in_every_format():
    """What stands in a label neither ends a comment or a script, nor loads a picture, nor becomes a link."""
    from markdown_it import MarkdownIt

    frame = judged().replace("MNIST", HOSTILE).assign(note=HOSTILE)
    sheet = sheet_of(frame, title=HOSTILE)
    # what GitHub would make of the Markdown, with tags allowed
    rendered = MarkdownIt("commonmark").enable("table").render(sheet.markdown())
    for text in (rendered, sheet.page()):
        assert "<script" not in text
        assert "<!--" not in text
        assert "<img" not in text
        assert "<a " not in text
        assert "&lt;!--&lt;script&gt;alert(1)&lt;/script&gt; ![x](http://example.org/x.png)" in text
    assert r"\textless{}!-" in sheet.latex()


def test_prose_has_emphasis_but_neither_tags_nor_pictures():
    text = Prose("*best*, `<b>`, <b>x</b> ![p](http://example.org/p.png)")
    assert str(markup.html(text)).startswith("<em>best</em>, <code>&lt;b&gt;</code>, &lt;b&gt;x&lt;/b&gt; !<a")
    assert markup.markdown(text) == r"*best*, `<b>`, \<b>x\</b> !\[p](http://example.org/p.png)"


def test_a_sheet_is_read_as_it_was_written(tmp_path):
    sheet = sheet_of(judged(), title="T", caption="C", remarks=["R"])
    sheet.write({"json": tmp_path / "t.json"})
    assert read_sheet(tmp_path / "t.json").markdown() == sheet.markdown()
    plain = Sheet("", grids=[Grid.of(["a", "b"], [["x", 1.5], [Prose("*y*"), float("nan")]])], lists={"More": ["one"]})
    plain.write({"json": tmp_path / "p.json", "html": tmp_path / "p.html"})
    assert read_sheet(tmp_path / "p.json").page() == plain.page()
    assert "<em>y</em>" in (tmp_path / "p.html").read_text()


def test_a_cell_with_a_stand_in_has_the_stand_ins_numbers():
    frame = add_verdicts(cells(stand_ins={"covtype": "mnist"})).set_index(["row", "column"])
    assert frame.loc[("Covtype", "A"), ["dataset", "stand_in", "verdict"]].tolist() == ["mnist", "mnist", "stand-in"]
    assert frame.loc[("Covtype", "A"), "ours"] == pytest.approx(93.5)


def test_a_metric_that_no_trial_measures_is_named_in_its_cells():
    frame = cells(metric="accurate").set_index(["row", "column"])
    assert frame.loc[("MNIST", "A"), "note"] == "no trial measures 'accurate' (did you mean 'accuracy'?)"
    elsewhere = cells([Place("Epsilon", {"dataset": "epsilon"})], metric="fit")
    assert set(elsewhere["status"]) == {"not run"}


def test_a_table_missing_from_the_paper_is_named():
    shown = SimpleNamespace(shown=Shown("T", published=True), name="table9", tidy=tidy())
    with pytest.raises(StudyError, match=r"published.csv has no table '9'; its tables are \['2'\]"):
        comparison(shown, Paper(PUBLISHED), "9", ROWS, COLUMNS, metric="accuracy")


# ------------------------------------------------------------------------------------------- the table of data sets

#: Records of prepared sets, one of which could not be had.
DIGITS = {"name": "digits", "available": True, "n": 1797, "d": 64, "n_train": None, "target_names": {}}
DIGITS["class_counts"] = {str(k): v for k, v in REGISTRY["digits"]["expected"]["class_counts"].items()}
SVHN = {"name": "svhn", "available": False, "reason": "train_32x32.mat\n  could not be downloaded"}


@pytest.mark.parametrize("name", [name for name, entry in REGISTRY.items() if "loader" in entry and not entry.get("resource")])
def test_every_loader_of_a_data_set_has_a_version(name):
    assert set(loader_names(REGISTRY[name])) <= LOADERS.keys()


def write(table, paths):
    table.to_csv(paths["csv"], index=False)
    dataset_sheet(table).write(paths, label="datasets")


def test_the_table_of_data_sets(tmp_path):
    table = dataset_overview(REGISTRY, {"digits": DIGITS, "svhn": SVHN})
    rows = table.set_index("name")
    assert "glove" not in rows.index
    assert rows.loc["digits", "available"] == "yes"
    assert rows.loc["svhn", "available"] == "no"
    assert rows.loc["mnist", "available"] == "not used"
    assert rows.loc["mnist", ["n_train", "n_test", "d", "prior"]].tolist() == [60000, 10000, 784, "0.49"]
    assert rows.loc["mnist_digit_*", "prior"] == "0.09 to 0.11"
    assert rows.loc["covtype", "prior"] == "0.51"
    assert rows.loc["epsilon", "prior"] == ""
    paths = {kind: tmp_path / f"datasets.{kind}" for kind in ("csv", "md", "tex")}
    write(table, paths)
    assert len(pd.read_csv(paths["csv"])) == len(table)
    assert "- svhn (SVHN (cropped digits)): train_32x32.mat could not be downloaded" in paths["md"].read_text()
    lines = paths["md"].read_text().splitlines()
    assert len({line.count("|") for line in lines[: len(table) + 2]}) == 1
    tex = paths["tex"].read_text().splitlines()
    assert len({line.count("&") for line in tex if line.endswith(r"\\")}) == 1


def test_facts_from_an_earlier_table_of_data_sets_are_kept(tmp_path):
    digits = DIGITS | {"n_train": 1000}
    paths = {kind: tmp_path / f"datasets.{kind}" for kind in ("csv", "md", "tex")}

    def render(*records):
        """As the workflow does, on top of what is there."""
        records = {record["name"]: record for record in records}
        table = dataset_overview(REGISTRY, records)
        if paths["csv"].is_file():
            table = keep_known(table, pd.read_csv(paths["csv"], dtype=str, keep_default_na=False))
        write(table, paths)
        return [path.read_bytes() for path in paths.values()]

    first = render(digits, SVHN)
    assert render() == first, "nothing is forgotten"
    assert render(SVHN) == render(digits) == first
    render(SVHN | {"reason": "the server is down"})
    assert "svhn (SVHN (cropped digits)): the server is down" in paths["md"].read_text()
    render({"name": "svhn", "available": True, "n": 99289, "d": 3072, "n_train": 73257, "class_counts": {"6": 1}})
    table = pd.read_csv(paths["csv"]).set_index("name")["available"]
    assert (table["svhn"], table["digits"], table["mnist"]) == ("yes", "yes", "not used")
    assert "Not available" not in paths["md"].read_text()
