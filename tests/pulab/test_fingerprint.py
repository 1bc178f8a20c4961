"""Fingerprints of source: what changes a number counts, wherever it lies; what moves, is renamed or told otherwise does not."""

import re
import shutil

import pytest

from pulab.trials import fingerprint as fp
from pulab.trials.definitions import Sources
from pulib.datasets import load_registry
from pulib.datasets.prepare import loader_sources

FILES = {
    "__init__": "def __getattr__(name):\n    ...",
    "gather/__init__": "from ours.gather._a import A\nfrom ours.gather._b import B",
    "gather/_a": """
import numpy as np

from ours import loops
from ours.base import Base
from ours.kernels import total as add

START: int = 1
UNUSED = 5


class A(Base):
    '''Said.'''

    def fit(self, X: np.ndarray) -> "A":
        if len(X) == 0:
            raise ValueError(f"{X!r} is empty")
        found = add(X, START)
        for own in X:
            found += loops.step(own)
        return np.sqrt(found)
""",
    "gather/_b": "class B:\n    pass",
    "base": "class Base:\n    size = 3",
    "kernels": """
def decorate(f):
    return f


def total(x, start):
    from ours.deep import helper

    return helper(x) + start


def other():
    return 2
""",
    "deep": "TABLE = {}\n\n\ndef helper(x):\n    return TABLE.get(x, 0)",
    "loops": "def step(x):\n    return x\n\n\ndef skip(x):\n    return 0",
    "whole": "from ours import loops\n\n\ndef run(name):\n    return getattr(loops, name)",
    "named": "STEP = 'ours.loops.step'\n\n\ndef run():\n    return STEP",
}
USERS = {"A": "ours.gather.A", "lazy A": "ours.A", "B": "ours.gather.B", "whole": "ours.whole.run", "named": "ours.named"}


@pytest.fixture
def prints(tmp_path):
    def write(**files):
        shutil.rmtree(tmp_path / "ours", ignore_errors=True)
        for name, text in (FILES | files).items():
            file = tmp_path / "ours" / f"{name}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return {user: Sources(tmp_path, ("ours",)).fingerprint(path) for user, path in USERS.items()}

    return write


def edited(file, old, new):
    assert old in FILES[file]
    return {file: FILES[file].replace(old, new)}


BOTH = {"A", "lazy A"}


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (edited("gather/_a", "START: int = 1", "START: int = 2"), BOTH),
        (edited("gather/_a", "np.sqrt", "np.cbrt"), BOTH),
        (edited("gather/_a", "import numpy as np", "import jax.numpy as np"), BOTH),
        (edited("gather/_a", "len(X) == 0", "len(X) == 1"), BOTH),
        (edited("gather/_a", "found += loops", "found -= loops"), BOTH),
        (edited("base", "3", "4"), BOTH),
        (edited("kernels", "+ start", "- start"), BOTH),
        (edited("deep", "{}", "{1: 2}"), BOTH),
        (edited("deep", "TABLE = {}", "TABLE = {}\nTABLE[1] = 2"), BOTH),
        (edited("deep", "TABLE = {}", "TABLE = {}\nTABLE |= {1: 2}"), BOTH),
        (edited("deep", "\n\n\ndef helper", "\n\n\n@register\ndef twin(x):\n    return 0\n\n\ndef helper"), BOTH),
        (edited("loops", "return x", "return x + 1"), {*BOTH, "whole", "named"}),
        (edited("loops", "return 0", "return 1"), {"whole"}),
        (edited("gather/_b", "pass", "x = 1"), {"B"}),
    ],
)
def test_what_is_used_counts(prints, change, changed):
    before, after = prints(), prints(**change)
    assert {user for user in before if before[user] != after[user]} == changed
    assert before["A"] == before["lazy A"]


MOVED = {
    "kernels": re.sub(r"def total.*?start\n\n\n", "", FILES["kernels"], flags=re.S),
    "gather/new": "from ours.deep import helper\n\n\ndef summed(x, start):\n    return helper(x) + start",
}


@pytest.mark.parametrize(
    "change",
    [
        edited("gather/_a", "'''Said.'''", "'''Said otherwise.'''\n    # and more"),
        edited("gather/_a", "X: np.ndarray", "X"),
        edited("gather/_a", "START: int", "START"),
        edited("gather/_a", "UNUSED = 5", "UNUSED = 6"),
        edited("gather/_a", "is empty", "has no rows"),
        edited("kernels", "return 2", "return 3"),
        {"gather/_a": FILES["gather/_a"].replace("found", "sums").replace("own", "row")},
        {"gather/_a": FILES["gather/_a"].replace("START", "FIRST")},
        {"gather/_a": FILES["gather/_a"].replace("ours.kernels import total", "ours.gather.new import summed"), **MOVED},
    ],
)
def test_what_moves_is_renamed_or_told_otherwise_does_not_count(prints, change):
    assert prints() == prints(**change)


def test_swapped_variables_and_swapped_helpers_count(prints):
    swapped = edited("gather/_a", "for own in X:\n            found", "for found in X:\n            own")
    assert prints()["A"] != prints(**swapped)["A"]
    exchanged = FILES["gather/_a"].replace("add(X, START)", "loops.step(X)").replace("loops.step(own)", "add(own, START)")
    assert prints()["A"] != prints(**{"gather/_a": exchanged})["A"]


def test_a_path_to_nothing_is_an_error(prints, tmp_path):
    prints()
    for path in ("ours.nothing.There", "ours.gather.C", "ours.deep.nothing"):
        with pytest.raises(ValueError, match=re.escape(path.rpartition(".")[0])):
            Sources(tmp_path, ("ours",)).fingerprint(path)


REGISTRY = load_registry()
OURS = {
    "resvm": lambda: fp.seeded_fingerprint("pulab.protocols.resvm.run"),
    "adapu": lambda: fp.seeded_fingerprint("pulab.protocols.adapu.run"),
    "contaminated": lambda: fp.seeded_fingerprint("pulib.sampling.contaminated_split"),
    "case_control": lambda: fp.seeded_fingerprint("pulib.sampling.case_control_split"),
    **{
        name: lambda name=name: fp.source_fingerprint(*loader_sources(REGISTRY[name]))
        for name in ("circle_noise", "expanding_clusters", "cifar10", "cifar10_gist", "20newsgroups", "digits")
    },
}


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("pulib/datasets/features/_scale", {"resvm"}),
        ("pulib/datasets/features/_gist", {"cifar10_gist"}),
        ("pulib/datasets/features/_text", {"20newsgroups"}),
        ("pulib/datasets/_circle_noise", {"contaminated", "circle_noise"}),
        ("pulib/datasets/_expanding_clusters", {"expanding_clusters"}),
        ("pulab/trials/seeds", {"resvm", "adapu", "contaminated", "case_control"}),
        ("pulab/trials/results", set()),
        ("pulib/datasets/download", set()),
    ],
)
def test_what_decides_numbers_counts_wherever_it_lies(tmp_path, monkeypatch, file, changed):
    for package in fp.OURS:
        shutil.copytree(fp.ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(fp, "ROOT", tmp_path)

    def prints():
        fp.sources.cache_clear()
        fp.fingerprint_of.cache_clear()
        return {name: make() for name, make in OURS.items()}

    before = prints()
    with open(tmp_path / f"{file}.py", "a") as source:
        source.write("\nregister('what it may change is not known')\n")
    after = prints()
    fp.sources.cache_clear()
    assert {name for name in before if before[name] != after[name]} == changed
