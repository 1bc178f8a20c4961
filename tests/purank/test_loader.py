"""The loader for the workflow's tables with PU labels."""

import pytest

from pulib.datasets import load_dataset, load_registry


def load(tmp_path, text, **options):
    file = tmp_path / "own.csv"
    file.write_text(text)
    entry = {"title": "t", "loader": "purank.load_pu_table", "options": options, "positive": [1]}
    entry["files"] = [{"name": file.name, "path": str(file)}]
    return load_dataset("own", data_dir=tmp_path / "data", registry=load_registry(extra={"own": entry}))


def test_labels_and_truth_become_targets(tmp_path):
    truth = [""] * 9 + ["", 1, 0]
    rows = "".join(f"{k},{k * k % 7},{k % 3 == 0:d},{truth[k]}\n" for k in range(12))
    data = load(tmp_path, f"a,b,y,t\n{rows}", label="y", truth="t")
    assert data.X.tolist() == [[float(k), float(k * k % 7)] for k in range(12)]
    assert data.target.tolist() == [1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 2, 3]


def test_a_misspelled_option_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"unknown option 'lable' \(did you mean 'label'\?\)"):
        load(tmp_path, "a,y\n3,1\n2,0\n", label="y", lable="y")
