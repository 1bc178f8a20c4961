"""The registry, prepared files, and loading by name."""

import importlib
import json
import os
import platform
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

import pulib
from pulib.datasets import UnreadableFileError
from pulib.datasets._checksums import KINDS, UNSTATED, hash_arrays, most_bytes
from pulib.datasets._dataset import load_prepared
from pulib.datasets._source import Source
from pulib.datasets.loaders import LOADERS
from pulib.datasets.prepare import PreparationError, loader_path, mirrors_tried, prepare, write_unavailable
from pulib.datasets.registry import BUNDLED, RegistryError, _validator, find, load_registry

REGISTRY = load_registry()
GOOD = {
    "title": "Toy",
    "loader": "table",
    "options": {"target": "class"},
    "positive": [1],
    "files": [{"name": "toy.csv", "urls": ["https://example.org/toy.csv"], "sha256": [{"value": "0" * 64, "of": "upstream"}]}],
}


def changed(path, value):
    """Return GOOD with one value replaced, or removed if ``value`` is None."""
    entry = json.loads(json.dumps(GOOD))
    *parents, last = path
    place = entry
    for key in parents:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return entry


def test_bundled_registry_matches_its_schema():
    """Reading it does not check it, so that a plain install needs no jsonschema."""
    raw = yaml.safe_load(BUNDLED.read_text(encoding="utf-8"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pulib.datasets.registry.BUNDLED", None)
        assert set(raw) <= set(load_registry(BUNDLED))


def test_user_entries_are_validated_and_require_jsonschema(monkeypatch):
    with pytest.raises(RegistryError, match="toy"):
        load_registry(extra={"toy": {"title": 7}})
    _validator.cache_clear()
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert "breast_cancer" in load_registry()
    with pytest.raises(ImportError, match=r"your registry needs jsonschema.*pip install -e '\.\[studies\]'"):
        load_registry(extra={"toy": GOOD})


@pytest.mark.parametrize("name", [name for name, entry in REGISTRY.items() if "base" not in entry])
def test_every_entry_is_complete(name):
    entry = REGISTRY[name]
    assert entry["license"]
    assert entry["citation"]
    assert entry.get("source") or entry["loader"] == "generated"
    for file in entry.get("files", []):
        assert file.get("urls") or file["pip"]
        assert any(file.get(key) for key in KINDS)
        assert most_bytes(file) != UNSTATED
    if entry.get("resource"):
        return
    assert {"n", "d"} <= set(entry["expected"])
    assert entry["loader"] in LOADERS
    assert entry["positive_text"]
    counts = entry["expected"].get("class_counts")
    if counts:
        assert sum(counts.values()) == entry["expected"]["n"]
        assert set(entry["positive"]) < set(counts)
    for path in (loader_path(entry), entry.get("options", {}).get("function")):
        module, _, function = (path or "").rpartition(".")
        assert not path or callable(getattr(importlib.import_module(module), function))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (changed(["title"], None), ["toy", "'title' is a required property"]),
        (changed(["loader"], None), ["toy", "loader: missing"]),
        (changed(["positve"], [1]), ["toy", "unknown key 'positve'", "did you mean 'positive'?"]),
        (changed(["files", 0, "sha256"], None), ["toy: files[0] (toy.csv): sha256", "needs a checksum"]),
        (changed(["files", 0, "sha256", 0, "value"], "abc"), ["toy: files[0].sha256[0].value", "'abc'"]),
        (changed(["files", 0, "urls"], None), ["files[0] (toy.csv): urls: missing"]),
        (changed(["files", 0, "pip"], "toy>=1"), ["toy: files[0].pip", "'toy>=1'"]),
        (changed(["files", 0, "name"], "../toy.csv"), ["files[0].name", "'../toy.csv'"]),
        (changed(["base"], "mnst"), ["toy: base", "unknown data set 'mnst'", "did you mean 'mnist'?"]),
        (changed(["base"], "mnist"), ["toy: loader", "takes no loader"]),
        (changed(["needs"], ["glov"]), ["toy: needs[0]", "did you mean 'glove'?"]),
        ({"title": "Toy", "base": "mnist_digit_3", "positive": [1]}, ["toy: base", "has a base itself", "'mnist'"]),
        (
            changed(["loader"], "tabel"),
            ["toy: loader: unknown loader 'tabel' (did you mean 'table'?); expected a dotted path or one of"],
        ),
        (changed(["loader"], "pu_table"), ["toy: loader: 'pu_table' is called 'purank.load_pu_table' now"]),
        (changed(["loader"], "libsvm"), ["the loader 'libsvm' has no option 'target'"]),
        (changed(["options"], {"targt": "y"}), ["options: the loader 'table' has no option 'targt' (did you mean 'target'?)"]),
        (
            {**GOOD, "loader": "npz", "options": {"keys": {"Xtest": "test"}}},
            ["options.keys: unknown key 'Xtest' (did you mean 'X_test'?)"],
        ),
        (changed(["options", "on_missing"], "mean"), ["options.on_missing: unknown value 'mean'", "one of drop_rows, error"]),
        (changed(["options", "encode"], ["zip"]), ["options.encode: ['zip'] is of type list; expected dict"]),
        (changed(["options", "missing"], "NA"), ["options.missing: 'NA' is of type str; expected list or tuple"]),
    ],
)
def test_bad_entry_raises_an_error_that_names_its_key(entry, words):
    with pytest.raises(RegistryError) as caught:
        load_registry(extra={"toy": entry})
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_user_entries_extend_the_registry(tmp_path):
    registry = load_registry(extra={"toy": GOOD, "other": {"title": "Other", "base": "toy", "positive": [0]}})
    assert registry["toy"]["name"] == "toy"
    assert set(registry) == {*REGISTRY, "toy", "other"}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"toy": GOOD}))
    assert list(load_registry(tmp_path / "mine.yaml")) == ["toy"]
    (tmp_path / "mine.yaml").write_text("toy: [")
    with pytest.raises(RegistryError, match="not valid YAML"):
        load_registry(tmp_path / "mine.yaml")
    with pytest.raises(RegistryError, match="there is no such registry"):
        load_registry(tmp_path / "none.yaml")


@pytest.mark.parametrize(("names", "way"), [("a", "'a' -> 'a'"), ("abc", "'a' -> 'b' -> 'c' -> 'a'")])
def test_circular_features_of_raises_an_error(names, way):
    ring = {name: {**GOOD, "features_of": after} for name, after in zip(names, names[1:] + names[0], strict=True)}
    with pytest.raises(RegistryError, match=f"a: features_of: {way} is circular"):
        load_registry(extra=ring)
    chain = ring | {names[-1]: GOOD, "d": {**GOOD, "features_of": names[0]}}
    assert load_registry(extra=chain)["d"]["features_of"] == names[0]


def test_unknown_name_raises_an_error_with_a_suggestion():
    with pytest.raises(RegistryError, match=r"unknown data set 'mnits' \(did you mean 'mnist'\?\)"):
        pulib.load_dataset("mnits")
    with pytest.raises(RegistryError, match="'glove' is not a data set, but files that others need, such as '20newsgroups'"):
        pulib.load_dataset("glove")
    assert find(REGISTRY, "mnist")["name"] == "mnist"


@pytest.mark.parametrize(
    ("name", "prior"), [("digits_digit_8", 174 / 1797), ("circle_noise", 0.5), ("expanding_clusters", None)]
)
def test_data_sets_without_files(tmp_path, name, prior):
    data = pulib.load_dataset(name, data_dir=tmp_path)
    assert data.name == name
    assert isinstance(data.X, np.memmap)
    assert (data.X.flags.writeable, data.X.flags.c_contiguous) == (False, True)
    assert (data.y.dtype, data.target.dtype, data.n_train) == (np.int8, np.int16, None)
    if prior is not None:
        assert data.prior == pytest.approx(prior, abs=1e-12)
    assert len(data.feature_names) == data.X.shape[1]
    assert data.meta["content_sha256"] == hash_arrays(data.X, data.target)
    assert [folder.name for folder in (tmp_path / "data").iterdir()] == [data.meta["name"]], "entries of a base share arrays"


def test_arrays_with_a_wrong_checksum_raise_an_error_and_can_be_rebuilt(tmp_path):
    X = np.array(pulib.load_dataset("digits", data_dir=tmp_path).X)
    folder = tmp_path / "data" / "digits"
    np.save(folder / "X.npy", X[np.random.default_rng(0).permutation(len(X))])
    with pytest.raises(UnreadableFileError, match=r"X\.npy cannot be read .*checksum that meta\.json records"):
        load_prepared(folder, "digits", [1])
    (folder / "X.npy").unlink()
    np.testing.assert_array_equal(pulib.load_dataset("digits", data_dir=tmp_path).X, X)


def test_removes_files_of_killed_preparations_but_not_of_running_ones(tmp_path):
    folder = tmp_path / "data" / "digits"
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        dead.wait()
    ended, ours = (folder / f".prepare-{platform.node()}-{pid}-x" for pid in (dead.pid, os.getpid()))
    elsewhere = folder / ".prepare-another-1-x"
    for left in (ended, ours, elsewhere):
        left.mkdir(parents=True)
        (left / "X.npy").touch()
    pulib.load_dataset("digits", data_dir=tmp_path)
    assert [left.exists() for left in (ended, ours, elsewhere)] == [False, True, True]


def test_unexpected_arrays_raise_an_error(tmp_path):
    registry = {"digits": REGISTRY["digits"] | {"expected": {"n": 1797, "d": 65, "class_counts": {0: 178, 1: 183}}}}
    with pytest.raises(PreparationError) as caught:
        prepare("digits", registry, tmp_path / "raw", tmp_path / "data")
    text = str(caught.value)
    counts = "class_counts: expected {'0': 178, '1': 183}, got {'0': 178, '1': 182,"
    assert all(words in text for words in ("'digits'", "d: expected 65, got 64", counts))
    assert " n: " not in text
    assert list((tmp_path / "data" / "digits").iterdir()) == []
    for change, message in (
        ({"positive": [3, 11]}, "positive: 11 is not one of its targets"),
        ({"loader": "digit"}, "unknown loader 'digit'; expected one of"),
    ):
        with pytest.raises(PreparationError, match=message):
            prepare("digits", {"digits": REGISTRY["digits"] | change}, tmp_path / "raw", tmp_path / "data")


def test_a_disk_too_full_for_the_arrays_is_named_as_such(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=1000))
    source = Source("a", {}, tmp_path, tmp_path, None)
    digits = (REGISTRY, tmp_path / "raw", tmp_path / "data")
    for write in (lambda: prepare("digits", *digits), lambda: source.allocate((100, 10), np.float32)):
        with pytest.raises(OSError, match=r"No space left on device: '.*X\.npy'"):
            write()


def test_unavailable_data_set_is_recorded_with_the_reason(tmp_path):
    write_unavailable("mnist", tmp_path, "no route to host")
    missing = load_prepared(tmp_path / "mnist", "mnist", [0, 2])
    assert len(missing.X) == len(missing.y) == 0
    assert missing.meta["reason"] == "no route to host"
    assert missing.meta["available"] is False


def test_when_mirrors_are_tried_again(tmp_path):
    record = tmp_path / "files.json"
    assert mirrors_tried(record, ["a"], False) == mirrors_tried(record, ["a"], True) == ["a"]
    record.write_text(json.dumps({"available": False, "mirrors": ["a"]}))
    assert mirrors_tried(record, ["a"], False) == ["a"]
    assert mirrors_tried(record, ["b"], False) == ["b"]
    assert mirrors_tried(record, ["a"], True) != ["a"]
    record.write_text(json.dumps({"available": True, "mirrors": ["a"]}))
    assert mirrors_tried(record, ["b"], False) == mirrors_tried(record, ["b"], True) == ["a"]
    for garbled in ("", "{", "[]", "{}"):
        record.write_text(garbled)
        assert mirrors_tried(record, ["b"], False) == ["b"]


def test_array_checksums_depend_on_values_dtypes_and_shapes():
    X = np.arange(12.0).reshape(3, 4)
    assert hash_arrays(X) == hash_arrays(np.asfortranarray(X)) == hash_arrays(X.astype(">f8"))
    others = [X.astype(np.float32), X.reshape(4, 3), X + 1e-12, X[:2]]
    assert len({hash_arrays(a) for a in [X, *others]}) == 5
    big = np.random.default_rng(0).normal(size=(300_000, 4))
    assert hash_arrays(big) == hash_arrays(np.asfortranarray(big))


@pytest.fixture
def people(tmp_path):
    """A registry that includes a user's own table."""
    (tmp_path / "people.csv").write_text("age,income\n30,low\n40,high\n50,high\n")
    entry = {
        "title": "People",
        "loader": "table",
        "options": {"target": "income", "codes": {"low": 0, "high": 1}},
        "positive": [1],
        "files": [{"name": "people.csv", "path": str(tmp_path / "people.csv")}],
    }
    return load_registry(extra={"people": entry})


def load_people(tmp_path, registry):
    return pulib.load_dataset("people", data_dir=tmp_path, registry=registry)


@pytest.mark.parametrize(("file", "damage"), [("X.npy", "cut"), ("y.npy", "gone"), ("meta.json", "cut"), ("meta.json", "gone")])
def test_damaged_prepared_files_are_repaired_as_the_error_says(tmp_path, people, file, damage):
    whole = load_people(tmp_path, people)
    path = tmp_path / "data" / "people" / file
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    if damage == "gone":
        path.unlink()
    elif file != "meta.json":
        with pytest.raises(ValueError, match=rf"{file} cannot be read \(.+\): delete it and run the same command again"):
            load_people(tmp_path, people)
        path.unlink()
    again = load_people(tmp_path, people)
    assert again.meta == whole.meta
    assert path.read_bytes() == content


def test_changed_recipe_is_applied_and_record_without_recipe_accepted(tmp_path, people):
    def meta_with(**changes):
        people["people"] = people["people"] | changes
        return load_people(tmp_path, people).meta

    record = tmp_path / "data" / "people" / "meta.json"
    old = meta_with()
    made = record.stat().st_mtime_ns
    assert (meta_with(), record.stat().st_mtime_ns) == (old, made), "prepared arrays are made once"
    assert meta_with(target_names={0: "poor", 1: "rich"})["target_names"] == {"0": "poor", "1": "rich"}
    del people["people"]["target_names"]
    assert meta_with() == old
    file = people["people"]["files"][0]
    with pytest.raises(OSError, match="expected md5 00000000"):
        meta_with(files=[file | {"md5": "0" * 32}])
    meta_with(files=[file])

    meta = json.loads(record.read_text())
    del meta["recipe"]  # as written before recipes existed
    record.write_text(json.dumps(meta))
    assert "recipe" not in meta_with()
    record.write_text(json.dumps(meta | {"recipe": old["recipe"] | {"source": "another"}}))
    assert meta_with() == old
