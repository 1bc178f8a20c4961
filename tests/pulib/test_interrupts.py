"""Ctrl-C ends every fit: kernels work in pieces, whose results equal those of one long call to the bit."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from pulib import (
    BaggingSVC,
    ClassWeightedSVC,
    OnlinePUClassifier,
    PUGridSearchCV,
    RobustEnsembleSVC,
    UnbiasedPUClassifier,
    make_circle_noise,
)
from pulib.linear import _double_hinge, _online
from pulib.svm import _runs

ROOT = Path(__file__).parents[2]
X, Y = make_circle_noise(60, 140, random_state=5)

#: Fits that would take hours or days, one for each loop of kernels, on two threads if possible.
ENDLESS = {
    "one machine": "pulib.ClassWeightedSVC(C_positive=1e4, C_unlabeled=1e4, tol=1e-300, max_iter=10**15)",
    "ensemble on two threads": "pulib.RobustEnsembleSVC(10**4, C=1e4, tol=1e-300, max_iter=10**15, n_jobs=2)",
    "search over ensembles": "pulib.PUGridSearchCV(pulib.BaggingSVC(10**4, tol=1e-300, max_iter=10**15), {'C': [1e3, 1e4]})",
    "stream": "pulib.OnlinePUClassifier(prior=0.3, n_passes=10**12)",
    "forest on two threads": "pulib.PUExtraTreesClassifier(10**6, prior=0.3, n_jobs=2)",
    "boosting": "pulib.AdaPUClassifier(10**7, learning_rate=1e-7, prior=0.3, n_iter_no_change=None)",
    "boosting of areas": "pulib.SGBDotaClassifier(10**6)",
    "LIBSVM": "by_libsvm(pulib.ClassWeightedSVC(C_positive=1e9, C_unlabeled=1e9, tol=1e-300, max_iter=2**31 - 1))",
}
PROGRAM = """
import signal, sys, warnings
import numpy as np
import pulib
from pulib.svm import _class_weighted

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it

def by_libsvm(machine):
    _class_weighted.MATRIX_ROWS = 10
    return machine

warnings.simplefilter("ignore")
X, y = pulib.make_circle_noise(1000, 3000, random_state=0)
X = X + np.random.default_rng(0).normal(size=X.shape)
model = eval(sys.argv[1])
print("ready", flush=True)
try:
    model.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def interrupted(process):
    """Return the output of an interrupted process; repeat the signal in case Python loses one, as in a destructor."""
    for _ in range(10):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            continue
    return process.communicate(timeout=1)


@pytest.mark.slow
@pytest.mark.jit("kernels that are not compiled see an interrupt at once")
@pytest.mark.skipif(os.name == "nt", reason="signals are sent another way on Windows")
@pytest.mark.parametrize("fit", ENDLESS)
def test_interrupt_ends_a_fit_that_takes_days(fit):
    command = [sys.executable, "-c", PROGRAM, ENDLESS[fit]]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(2)  # into the loops
            assert process.poll() is None, "the fit ended by itself"
            output, error = interrupted(process)
        finally:
            process.kill()
    assert output == "interrupted\n", error
    assert process.returncode == 0


def fitted(model, rows):
    model.fit(rows, Y)
    found = {name: value for name, value in vars(model).items() if isinstance(value, np.ndarray | int | float)}
    return {**found, "scores": model.decision_function(rows)}


@pytest.mark.parametrize(
    ("model", "form", "module", "work"),
    [
        (ClassWeightedSVC(C_positive=50.0, C_unlabeled=5.0, max_iter=17), np.asarray, _runs, 1),
        (BaggingSVC(7, C=20.0, random_state=0, n_jobs=2), np.asarray, _runs, 1),
        (
            PUGridSearchCV(ClassWeightedSVC(), {"C_positive": [1.0, 30.0], "C_unlabeled": [1.0, 9.0]}, cv=3),
            *(np.asarray, _runs, 1),
        ),
        (
            PUGridSearchCV(RobustEnsembleSVC(4, random_state=2), {"C": [1.0, 30.0], "w_positive": [1.0, 4.0]}, cv=3),
            *(np.asarray, _runs, 3000),
        ),
        (OnlinePUClassifier(prior=0.3, n_passes=3, random_state=3), np.asarray, _online, 1),
        (OnlinePUClassifier(prior=0.3, n_passes=3, random_state=3, batch_size=7), sparse.csr_array, _online, 1),
        (OnlinePUClassifier(prior=0.3, random_state=3, batch_size=0.3, inner_steps=4), np.asarray, _online, 1),
        (UnbiasedPUClassifier(prior=0.3, alpha=1e-6, tol=1e-9, max_iter=700, random_state=0), np.asarray, _double_hinge, 1),
        (UnbiasedPUClassifier(prior=0.3, alpha=1e-3, tol=1e-9, random_state=0), sparse.csr_array, _double_hinge, 1),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else None,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_pieces_give_the_results_of_one_call(model, form, module, work, monkeypatch):
    monkeypatch.setattr(module, "WORK", 10**18)
    whole = fitted(model, form(X))
    monkeypatch.setattr(module, "WORK", work)
    again = fitted(model, form(X))
    for name, value in whole.items():
        assert "time" in name or np.array_equal(again[name], value), name


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_dual_ascent_returns_between_pieces(monkeypatch):
    counts, ascend = [], _double_hinge.ascend_dense
    for work in (10**18, 1):
        calls = []
        monkeypatch.setattr(_double_hinge, "WORK", work)
        monkeypatch.setattr(_double_hinge, "ascend_dense", lambda *args, calls=calls: calls.append(1) or ascend(*args))
        UnbiasedPUClassifier(prior=0.3, alpha=1e-6, tol=1e-9, max_iter=700, random_state=0).fit(X, Y)
        counts.append(len(calls))
    assert counts[1] > counts[0]


def test_run_interruptibly_raises_errors_of_the_call():
    done = []
    _runs.run_interruptibly(lambda: done.append(1), stop=done.clear)
    assert done == [1]
    with pytest.raises(ZeroDivisionError):
        _runs.run_interruptibly(lambda: 1 / 0, stop=done.clear)
    assert done == [1]
