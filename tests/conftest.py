"""Settings of all tests."""

import os

from hypothesis import settings

# In CI the drawn examples are the same every time: a failure there is a change's, not the dice's.
settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")
