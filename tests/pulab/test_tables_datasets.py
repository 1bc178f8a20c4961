"""The table of data sets: what is there, what is not and why, and what an earlier table knew."""

import pandas as pd
import pytest

from pulab.plan.identity import loader_names
from pulab.plan.versions import LOADERS
from pulab.tables.datasets import dataset_overview, dataset_sheet, keep_known
from pulib.datasets import load_registry

REGISTRY = load_registry()


@pytest.mark.parametrize("name", [name for name, entry in REGISTRY.items() if "loader" in entry and not entry.get("resource")])
def test_what_reads_a_set_has_a_version(name):
    assert set(loader_names(REGISTRY[name])) <= LOADERS.keys()


def write(table, paths):
    table.to_csv(paths["csv"], index=False)
    dataset_sheet(table).write(paths, label="datasets")


def test_the_table_of_data_sets(tmp_path):
    records = {
        "digits": {"name": "digits", "available": True, "n": 1797, "d": 64, "n_train": None}
        | {"class_counts": {str(k): v for k, v in REGISTRY["digits"]["expected"]["class_counts"].items()}, "target_names": {}},
        "svhn": {"name": "svhn", "available": False, "reason": "train_32x32.mat\n  could not be downloaded"},
    }
    table = dataset_overview(REGISTRY, records)
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


def test_what_an_earlier_table_of_data_sets_knew_is_kept(tmp_path):
    counts = {str(k): v for k, v in REGISTRY["digits"]["expected"]["class_counts"].items()}
    digits = {"name": "digits", "available": True, "n": 1797, "d": 64, "n_train": 1000, "class_counts": counts}
    svhn = {"name": "svhn", "available": False, "reason": "train_32x32.mat could not be downloaded"}
    paths = {kind: tmp_path / f"datasets.{kind}" for kind in ("csv", "md", "tex")}

    def render(*records):
        """As the workflow does, on top of what is there."""
        records = {record["name"]: record for record in records}
        table = dataset_overview(REGISTRY, records)
        if paths["csv"].is_file():
            table = keep_known(table, pd.read_csv(paths["csv"], dtype=str, keep_default_na=False))
        write(table, paths)
        return [path.read_bytes() for path in paths.values()]

    first = render(digits, svhn)
    assert render() == first, "nothing is forgotten"
    assert render(svhn) == render(digits) == first
    render(svhn | {"reason": "the server is down"})
    assert "svhn (SVHN (cropped digits)): the server is down" in paths["md"].read_text()
    render({"name": "svhn", "available": True, "n": 99289, "d": 3072, "n_train": 73257, "class_counts": {"6": 1}})
    table = pd.read_csv(paths["csv"]).set_index("name")["available"]
    assert (table["svhn"], table["digits"], table["mnist"]) == ("yes", "yes", "not used")
    assert "Not available" not in paths["md"].read_text()
