"""What to run: studies as typed objects, the trials of a preset, their identities, and their jobs."""

from pulab.plan.experiment import Experiment, Method, Preset, Setting, Task
from pulab.plan.study import Cause, ExpectedFailure, Shown, Study, named

__all__ = ["Cause", "ExpectedFailure", "Experiment", "Method", "Preset", "Setting", "Shown", "Study", "Task", "named"]
