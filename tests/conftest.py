"""Settings of all tests."""

import os

import pytest
from hypothesis import settings

from tests.sizes import NOT_COMPILED

# In CI the drawn examples are the same every time: a failure there is a change's, not the dice's.
settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")


def pytest_collection_modifyitems(items):
    for item in items:
        marker = item.get_closest_marker("jit")
        if NOT_COMPILED and marker is not None:
            item.add_marker(pytest.mark.skip(reason=f"NUMBA_DISABLE_JIT: {marker.args[0]}"))
