"""A browser for the pages of the report."""

import shutil

import pytest


@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra browser)")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()
