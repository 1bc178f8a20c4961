"""The command ``purank``, from a folder that is no clone."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import joblib
import pandas as pd
import psutil
import pytest

from tests.purank.rows import write_table
from tests.test_docs import examples

ROOT = Path(__file__).parents[2]
#: What a wheel is made of.
PARTS = ("pulib", "pulab", "purank", "snakemake_logger_plugin_stages", "pyproject.toml", "README.md", "LICENSE")
NUMBER, TIME = re.compile(r"\d[\d,]*(?:\.\d+)?"), re.compile(r"[\d.,]+ (?:µs|ms|s|seconds|minutes)\b")
pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def started(folder, *arguments, packages=ROOT, **how):
    """The command, with its own process group."""
    environment = os.environ | {"PYTHONPATH": str(packages), "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "purank", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True, **{**pipes, **how})


def purank(folder, *arguments, packages=ROOT):
    """What the command printed, and its exit code."""
    process = started(folder, *arguments, packages=packages)
    text, _ = process.communicate()
    return process.returncode, text


def test_a_table_is_checked_run_reported_and_resumed(tmp_path):
    write_table(tmp_path / "own.csv", name=[f"case {k}" for k in range(120)])
    asked = ["own.csv", "--label", "labeled", "--id", "name", "--methods", "naive_lr,upu_logistic", "--cores", "2"]
    code, text = purank(tmp_path, *asked)
    assert code == 0, text
    assert "2 learners on 2 cores: about" in text
    assert "1. **What is known.**" in text
    folder = tmp_path / "own_purank"
    ranked = pd.read_csv(folder / "ranked.csv")
    table = pd.read_csv(tmp_path / "own.csv")
    assert sorted(ranked["row"]) == sorted(table.loc[table["labeled"] == 0, "name"])
    assert (ranked["low"] <= ranked["expected_positives"]).all()
    assert (ranked["expected_positives"] <= ranked["high"]).all()
    page = (folder / "report.html").read_text()
    assert "own.csv" in page
    assert "<svg" in page
    assert "Nothing to be done" in purank(tmp_path, *asked)[1]
    (folder / "ranked.csv").unlink()
    models = {file: file.stat().st_mtime_ns for file in (folder / "work" / "scores").iterdir()}
    assert len(models) == 2 * 10
    code, text = purank(tmp_path, *asked)
    assert code == 0
    pd.testing.assert_frame_equal(pd.read_csv(folder / "ranked.csv"), ranked)
    assert {file: file.stat().st_mtime_ns for file in (folder / "work" / "scores").iterdir()} == models
    asked[-3] += ",elkan_noto_lr"
    assert purank(tmp_path, *asked)[0] == 0
    assert {file: file.stat().st_mtime_ns for file in models} == models
    assert len(list((folder / "work" / "scores").iterdir())) == 3 * 10


def test_a_file_of_configuration_is_the_same_run_and_a_home_that_cannot_be_written_no_obstacle(tmp_path, monkeypatch):
    (tmp_path / "home").write_text("a file: nothing can be written below it, not even by root")
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write_table(tmp_path / "my_table.csv")
    shutil.copy(ROOT / "config" / "own.yaml", tmp_path / "own.yaml")
    code, text = purank(tmp_path, "own.yaml", "--methods", "naive_lr", "--output", "out", "--cores", "1")
    assert code == 0, text
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000


def test_a_wheel_runs_in_any_folder(tmp_path):
    """It holds all that the command needs; the folder's name has spaces and letters beyond ASCII."""
    for name in PARTS:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (tmp_path / "source").mkdir(exist_ok=True)
        copy(ROOT / name, tmp_path / "source" / name)
    wheels = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path / "wheels"), str(tmp_path / "source")]
    built = subprocess.run(wheels, capture_output=True, text=True, check=False)
    if "Retrying" in built.stderr:
        pytest.skip("no index of packages can be reached")
    assert built.returncode == 0, built.stderr
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "packages")
    folder = tmp_path / "Größe der Häuser 数据"
    folder.mkdir()
    write_table(folder / "meine Tabelle.csv")
    asked = ["meine Tabelle.csv", "--label", "labeled", "--methods", "naive_lr", "--cores", "1"]
    code, text = purank(folder, *asked, packages=tmp_path / "packages")
    assert code == 0, text
    assert len(pd.read_csv(folder / "meine Tabelle_purank" / "ranked.csv")) > 50


def heed_signals():
    """Those that `nohup` and a shell's jobs in the background ignore."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


ENDS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL]


def test_whatever_ends_a_run_ends_its_processes_and_the_next_one_goes_on_where_it_was(tmp_path):
    """A signal goes to the command alone, as `kill`, job schedulers and a system without memory send it."""
    write_table(tmp_path / "own.csv", n=300)
    asked = ["own.csv", "--label", "labeled", "--methods", "naive_lr,upu_logistic,pu_et,adapu", "--cores", "1"]
    work = tmp_path / "own_purank" / "work"
    done = {}
    for number in ENDS:
        process = started(tmp_path, *asked, preexec_fn=heed_signals)
        command, family, deadline = psutil.Process(process.pid), [], time.monotonic() + 180
        try:
            while len(list(work.glob("scores/*.npz"))) <= len(done):
                assert process.poll() is None, process.communicate()[0]
                assert time.monotonic() < deadline
                time.sleep(0.02)
                family = command.children(recursive=True)
            if number == signal.SIGKILL:
                os.killpg(process.pid, signal.SIGSTOP)  # it holds its lock, and is not done before the other looks
                code, text = purank(tmp_path, *asked)
                assert code == 2
                assert "own_purank: another run is at work there" in text
                os.killpg(process.pid, signal.SIGCONT)
            process.send_signal(number)
            assert process.wait(60) != 0
            assert family
            assert not psutil.wait_procs(family, timeout=20)[1]
        finally:
            for one in family:
                if one.is_running():
                    one.kill()
            process.kill()
            process.communicate()
        assert not (tmp_path / "own_purank" / "report.html").exists()
        now = {file: file.stat().st_mtime_ns for file in [work / "prior.json", *work.glob("scores/*.npz")]}
        assert done.items() <= now.items(), "nothing is estimated or trained twice"
        done = now
    code, text = purank(tmp_path, *asked)
    assert code == 0, text
    assert all(file.stat().st_mtime_ns == when for file, when in done.items())
    assert (tmp_path / "own_purank" / "report.html").exists()


def test_the_quick_start_shows_what_the_command_prints(tmp_path, monkeypatch):
    """Word for word; numbers as nearly as processors round alike, and no times."""
    page = ROOT / "docs" / "quickstart.md"
    section = page.read_text(encoding="utf-8").partition("\n## A table of your own\n")[2].partition("\n## ")[0]
    (command,) = re.findall(r"^```bash\n(.+)\n```", section, flags=re.M)
    (shown,) = re.findall(r"^```text\n(.+?)\n```", section, flags=re.M | re.S)
    (picture,) = re.findall(r"^!\[.+\]\(\.\./(figures/\S+\.svg)\)", section, flags=re.M)
    monkeypatch.chdir(tmp_path)
    names = {}
    sources = [example.source for example in examples(page).examples]
    for source in sources[: 1 + next(k for k, source in enumerate(sources) if "to_csv" in source)]:
        exec(compile(source, page.name, "exec"), names)
    code, text = purank(tmp_path, *shlex.split(command)[1:])
    assert code == 0, text
    printed = {masked(line): line for line in text.splitlines()}
    pictures = [words_in(file) for file in (ROOT / picture, tmp_path / "tumors_purank" / "report.svg")]
    lines = [line for line in shown.splitlines() if line != "..."]
    assert len(lines) == 6
    for kept, now in [*((line, printed.get(masked(line), "")) for line in lines), pictures]:
        assert masked(kept) == masked(now)
        values = [[float(number.replace(",", "")) for number in NUMBER.findall(TIME.sub("", line))] for line in (kept, now)]
        assert values[0] == pytest.approx(values[1], rel=0.02, abs=1.0)


def masked(text):
    return NUMBER.sub("0", TIME.sub("TIME", text))


def words_in(picture):
    """The texts of a picture."""
    return " ".join("".join(part.itertext()) for part in ET.parse(picture).iter("{http://www.w3.org/2000/svg}text"))


def test_braces_are_letters_like_others_and_the_model_is_saved(tmp_path):
    folder = tmp_path / "{all} of {0}"
    folder.mkdir()
    write_table(folder / "own{table}{.csv", **{"cli{nic}": [k % 7 for k in range(120)]})
    asked = ["own{table}{.csv", "--label", "labeled", "--drop", "cli{nic}", "--methods", "upu_logistic", "--cores", "1"]
    code, text = purank(folder, *asked, "--save-model", "models/one.joblib")
    assert code == 0, text
    out = folder / "own{table}{_purank"
    model = joblib.load(folder / "models" / "one.joblib")
    assert model.feature_names_in_.tolist() == ["age", "pay", "size"]
    write_table(folder / "own{table}{.csv", n=140, **{"cli{nic}": [k % 7 for k in range(140)]})
    code, text = purank(folder, *asked)
    assert code == 0, text
    assert len(pd.read_csv(out / "ranked.csv")) > 110
