"""Tools around the estimators."""

import importlib.metadata
import re

import sklearn

import pulib
from pulib.utils._versions import USED
from tests.test_packaging import requirements


def test_versions_are_those_that_are_installed(capsys):
    pulib.show_versions()
    said = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert said["scikit-learn"] == sklearn.__version__
    assert said["pulib"].startswith(f"{pulib.__version__} (")
    assert re.match(r"\d+\.\d+\.\d+ \(", said["python"])


def test_versions_of_all_that_pulib_uses_are_said():
    assert sorted(USED) == sorted(requirement.name for requirement in requirements("plots", "nn"))


def test_what_is_not_installed_is_said_to_be_missing(capsys, monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    pulib.show_versions()
    assert "numpy: not installed" in capsys.readouterr().out
