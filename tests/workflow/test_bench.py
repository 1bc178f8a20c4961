"""A table of one's own, run from a fresh copy of the workflow by the documented command."""

import pandas as pd
import pytest

from tests.pulab.test_bench import write_table

pytestmark = [pytest.mark.workflow, pytest.mark.slow]
FEW = "only_methods=[lf_pu_et,lf_naive_lr,lf_elkan_noto_lr,lf_all_negative,lf_random_share]"


@pytest.mark.parametrize("n_test", [20, 0], ids=["some truth", "no truth"])
def test_a_table_of_ones_own_is_run_and_reported(make_workspace, n_test):
    space = make_workspace()
    write_table(space.folder / "my_table.csv", n=50 + n_test, n_test=n_test)
    if n_test:
        config = space.folder / "config" / "own.yaml"
        config.write_text(config.read_text().replace("# truth: truth", "truth: truth"))
    done = space.snakemake("--configfile", "config/own.yaml", "--config", FEW, "repeats=3")
    assert done.code == 0, done.text
    folder = space.folder / "results" / "own"
    text = (folder / "bench" / "table_report.md").read_text()
    assert ("What PU data alone cannot show" in text) == (n_test == 0)
    assert ("By accuracy on the test rows" in text) == (n_test > 0)
    tidy = pd.read_parquet(folder / "tidy" / "bench.parquet")
    assert set(tidy["status"]) == {"ok"}
    assert tidy.groupby("method")["repeat"].nunique().tolist() == [3] * 5
    assert (folder / "bench" / "figure_ranks.png").stat().st_size > 10_000
    page = (folder / "report.html").read_text()
    assert "Your table: every method, side by side" in page
    assert "This is a demonstration" not in page
    assert "What PU data alone cannot show" in page if n_test == 0 else "By accuracy on the test rows" in page
    assert "<h2>Claims" not in page
