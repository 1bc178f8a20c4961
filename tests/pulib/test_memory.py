"""Free memory respects the limits of the process; on mapped files, learners use what docs/large.md says."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from pulib import AdaPUClassifier, ClassWeightedSVC, OnlinePUClassifier, PUExtraTreesClassifier, _memory
from pulib._trees import _sparse
from pulib.svm import _kernels

GIB = 2**30
MACHINE = 64 * GIB
NO_LIMIT_V1 = 9223372036854771712


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine of 64 GiB whose /proc and control groups are files of the test."""
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "meminfo").write_text(f"MemTotal: {MACHINE // 1024} kB\nMemFree: 1 kB\nMemAvailable:   {MACHINE // 1024} kB\n")
    monkeypatch.setattr(_memory, "_PROC", proc)
    monkeypatch.setattr(_memory, "_free_address_space", lambda: float("inf"))
    return tmp_path


def version_2(machine, path, groups, root="/", mount="cgroup"):
    """Write control groups by path below the mount, each with its limit, usage, and cache."""
    (machine / "proc" / "self" / "cgroup").write_text(f"0::{path}\n")
    point = str(machine / mount).replace(" ", "\\040")
    line = f"30 24 0:26 {root} {point} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
    (machine / "proc" / "self" / "mountinfo").write_text("22 1 0:21 / /proc rw - proc proc rw\n" + line)
    for name, (limit, usage, cache) in groups.items():
        folder = machine / mount / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "memory.max").write_text(f"{limit}\n")
        (folder / "memory.current").write_text(f"{usage}\n")
        (folder / "memory.stat").write_text(f"anon 1\nfile 2\ninactive_file {cache}\nactive_file 7\n")


def version_1(machine, path, groups, root="/", controllers="memory"):
    lines = f"9:name=systemd:/x\n4:{controllers}:{path}\n1:cpu:/\n0::/\n"
    (machine / "proc" / "self" / "cgroup").write_text(lines)
    mounts = [
        f"35 31 0:31 {root} {machine / 'cgroup'} rw,relatime - cgroup cgroup rw,{controllers}",
        f"34 31 0:30 / {machine / 'cpu'} rw,relatime - cgroup cgroup rw,cpu",
        f"41 31 0:38 / {machine / 'unified'} rw,relatime - cgroup2 cgroup2 rw",
    ]
    (machine / "proc" / "self" / "mountinfo").write_text("\n".join(mounts) + "\n")
    for name, (limit, usage, cache) in groups.items():
        folder = machine / "cgroup" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "memory.limit_in_bytes").write_text(f"{limit}\n")
        (folder / "memory.usage_in_bytes").write_text(f"{usage}\n")
        (folder / "memory.stat").write_text(f"cache 1\ninactive_file 5\ntotal_inactive_file {cache}\n")


@pytest.mark.parametrize(
    ("groups", "free"),
    [
        ({"": ("max", 9, 0), "job": ("max", 9, 0), "job/step": (4 * GIB, GIB, 0)}, 3 * GIB),
        ({"": ("max", 9, 0), "job": (2 * GIB, GIB, 0), "job/step": ("max", 9, 0)}, GIB),  # a parent's limit counts too
        ({"": ("max", 9, 0), "job": (2 * GIB, GIB, 0), "job/step": (GIB, GIB // 2, 0)}, GIB // 2),  # the lowest limit counts
        ({"": (8 * GIB, 6 * GIB, GIB), "job": ("max", 9, 0), "job/step": ("max", 9, 0)}, 3 * GIB),  # cache can be dropped
        ({"": ("max", 9, 0), "job": (GIB, 2 * GIB, 0), "job/step": ("max", 9, 0)}, 0),  # a limit below the current usage
    ],
)
def test_version_2_with_nested_groups(machine, groups, free):
    version_2(machine, "/job/step", groups)
    assert _memory.available_bytes() == free


@pytest.mark.parametrize(
    ("path", "root", "mount"),
    [
        ("/", "/", "cgroup"),  # a container that sees its own group as the root
        ("/docker/4f2a", "/docker/4f2a", "cgroup"),  # the host's path, with the container's group mounted
        ("/elsewhere/4f2a", "/", "cgroup"),  # a path that is not visible from inside
        ("/../other", "/", "cgroup"),  # a process that joined from outside the namespace
        ("/", "/", "my groups"),  # a mount with a space in its path
    ],
)
def test_version_2_in_a_container(machine, path, root, mount):
    version_2(machine, path, {"": (3 * GIB, GIB, 0)}, root, mount)
    assert _memory.available_bytes() == 2 * GIB


def test_step_of_a_slurm_job(machine):
    job = "slurm/uid_1000/job_77"
    groups = {"": (NO_LIMIT_V1, 40 * GIB, 0), "slurm": (NO_LIMIT_V1, 0, 0), job: (8 * GIB, 7 * GIB, GIB)}
    version_1(machine, f"/{job}/step_batch/task_0", {**groups, f"{job}/step_batch/task_0": (NO_LIMIT_V1, 0, 0)})
    assert _memory.available_bytes() == 2 * GIB
    job = "system.slice/slurmstepd.scope/job_77"
    version_2(machine, f"/{job}/step_0/user/task_0", {job: (8 * GIB, 7 * GIB, 0), f"{job}/step_0/user/task_0": ("max", 0, 0)})
    assert _memory.available_bytes() == GIB


def test_version_1_in_a_container(machine):
    version_1(machine, "/docker/4f2a", {"": (2 * GIB, GIB, 0)}, root="/docker/4f2a", controllers="cpuset,memory")
    assert _memory.available_bytes() == GIB


@pytest.mark.parametrize("missing", ["cgroup", "mountinfo"])
def test_missing_files_set_no_limit(machine, missing):
    version_2(machine, "/job", {"job": (GIB, 0, 0)})
    (machine / "proc" / "self" / missing).unlink()
    assert _memory.available_bytes() == MACHINE


def test_error_names_the_limit(machine):
    version_2(machine, "/job", {"job": (3 * GIB, GIB, 0)})
    _memory.check_room(2 * GIB, "A fit", "Take fewer rows.")
    with pytest.raises(MemoryError) as error:
        _memory.check_room(2 * GIB + 1, "A fit", "Take fewer rows.")
    limit = machine / "cgroup" / "job" / "memory.max"
    assert str(error.value) == (
        f"A fit takes 2.0 GiB of memory, and 2.0 GiB are left by the limit of the container or job ({limit}: 3.0 GiB). "
        "Take fewer rows."
    )


@pytest.mark.parametrize("learner", [ClassWeightedSVC(), PUExtraTreesClassifier(prior=0.3), AdaPUClassifier(prior=0.3)])
def test_fit_beyond_the_container_limit_raises_an_error(machine, learner):
    version_2(machine, "/job", {"job": (GIB, GIB - 2**16, 0)})
    X = sparse.random(400, 3000, density=0.01, format="csr", random_state=0)
    with pytest.raises(MemoryError, match=r"(?s)GiB of memory, and 0\.0 GiB are left by the limit of the container or job"):
        learner.fit(X, np.arange(400) < 100)


def test_kernel_matrix_beyond_the_container_limit_raises_an_error(machine):
    version_2(machine, "/job", {"job": (GIB, GIB - 2**16, 0)})
    X = np.random.default_rng(0).normal(size=(300, 3))
    with pytest.raises(MemoryError, match=r"The kernel matrix of 300 rows.*container or job.*Use fewer rows"):
        _kernels.kernel_matrix(_kernels.Kernel("linear"), X)


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v bounds nothing on this system")
def test_limit_on_the_address_space_bounds_free_memory():
    program = """
import resource
from pulib import _memory
resource.setrlimit(resource.RLIMIT_AS, (20 * 2**30, resource.RLIM_INFINITY))
_memory._free_of_machine = lambda: 2.0**50
_memory._free_in_control_groups = lambda: iter(())
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
assert abs(_memory.available_bytes() - (20 * 2**30 - taken)) < 2**27
try:
    _memory.check_room(2**45, "A fit", "Take fewer rows.")
except MemoryError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "are left by the limit on the address space (ulimit -v). Take fewer rows." in done.stdout


def mapped_rows(folder, n, d, dtype=np.float32, order="C"):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) if dtype != np.uint8 else rng.integers(0, 256, (n, d))
    shape = {"shape": (n, d), "fortran_order": order == "F"}
    stored = np.lib.format.open_memmap(folder / "X.npy", mode="w+", dtype=dtype, **shape)
    stored[:] = X
    stored.flush()
    return np.load(folder / "X.npy", mmap_mode="r"), (rng.random(n) < 0.1).astype(int)


def peak(work):
    """Return the most bytes that NumPy held; pages of a mapped file do not count."""
    work()  # compile first
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.jit("millions of values")
@pytest.mark.parametrize(("dtype", "order"), [(np.uint8, "C"), (np.float64, "F")])
def test_extra_trees_do_not_copy_rows(tmp_path, dtype, order, monkeypatch):
    n, d = 2000, 1000
    X, y = mapped_rows(tmp_path, n, d, dtype, order)
    forest = PUExtraTreesClassifier(2, prior=0.4, random_state=0, n_jobs=1)
    assert peak(lambda: forest.fit(X, y)) < 300 * n + (5 << 18) < X.nbytes
    monkeypatch.setattr(_sparse, "_PART_BYTES", 1 << 16)
    assert peak(lambda: forest.predict(X)) < 100 * n + (5 << 18) < X.nbytes


@pytest.mark.jit("millions of values")
def test_ada_pu_keeps_a_byte_per_value(tmp_path):
    n, d = 10_000, 400
    X, y = mapped_rows(tmp_path, n, d, np.float64, order="F")
    model = AdaPUClassifier(3, prior=0.4, max_bins=256, n_iter_no_change=None, random_state=0, n_jobs=1)
    columns, tables = 3 * 16 * 8 * n, 32 * 256 * d
    assert n * d < peak(lambda: model.fit(X, y)) < n * d + columns + tables + 100 * n < X.nbytes
    assert peak(lambda: model.predict(X)) < 100 * n + (1 << 20)


@pytest.mark.jit("millions of values")
def test_online_learning_reads_only_some_rows(tmp_path):
    n, d = 100_000, 40
    X, y = mapped_rows(tmp_path, n, d, np.float64)
    bytes_read = 20_000 * d * 8
    model = OnlinePUClassifier(prior=0.4, random_state=0)
    assert peak(lambda: model.fit(X, y)) < bytes_read + 20 * n < X.nbytes
    assert peak(lambda: model.predict(X)) < 2 * 1024 * d * 8 + 40 * n < X.nbytes

    def stream():
        model = OnlinePUClassifier(prior=0.4)
        for first in range(0, n, 1000):
            model.partial_fit(X[first : first + 1000], y[first : first + 1000], classes=[0, 1])

    assert peak(stream) < 3 * 1000 * d * 8 + (1 << 18)
