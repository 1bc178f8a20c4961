"""Tools around the estimators."""

import importlib.metadata
import re

import sklearn

import pulib
from pulib.utils._versions import USED
from tests.test_packaging import requirements


def test_show_versions_prints_installed_versions(capsys):
    pulib.show_versions()
    printed = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert printed["scikit-learn"] == sklearn.__version__
    assert printed["pulib"].startswith(f"{pulib.__version__} (")
    assert re.match(r"\d+\.\d+\.\d+ \(", printed["python"])


def test_show_versions_covers_all_dependencies():
    assert sorted(USED) == sorted(requirement.name for requirement in requirements("plots", "nn"))


def test_show_versions_reports_missing_packages(capsys, monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    pulib.show_versions()
    assert "numpy: not installed" in capsys.readouterr().out
