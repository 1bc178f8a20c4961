"""Downloads from a misbehaving server leave no wrong file under the final name, and errors say what happened."""

import contextlib
import errno
import ftplib
import gzip
import hashlib
import lzma
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from pulib.datasets.download import DownloadError, Policy, fetch
from tests.pulib.test_datasets_formats import tar

BODY = bytes(range(256)) * 400
SHA = hashlib.sha256(BODY).hexdigest()
#: Zeros within the general limit (200 times the compressed size plus 64 MiB), but beyond what an entry states.
ZEROS = b"\0" * (16 << 20)
#: What the server sends for each behavior, and the length that it states, if any.
SENT = {
    "ok": (BODY, len(BODY)),
    "truncated": (BODY[:5000], len(BODY)),
    "truncated_without_length": (BODY[:5000],),
    "wrong_bytes": (b"x" + BODY[1:], len(BODY)),
    "wrong_length": (BODY + b"more", len(BODY) + 4),
    "bomb": (gzip.compress(ZEROS),),
    "tar_bomb": (tar({"a": ZEROS, "b": ZEROS}),),
}
QUICK = Policy(timeout=(2.0, 0.4), attempts=2, backoff=0.01)


class Server(ThreadingHTTPServer):
    """Answers the n-th request for an address with its n-th behavior (or bytes), and then repeats the last one."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviors: dict[str, list[str | bytes]] = {}
        self.asked: list[str] = []

    def address(self, path: str, *behaviors: str | bytes) -> str:
        self.behaviors[path] = list(behaviors)
        return f"{self.base}{path}"

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        self.server.asked.append(self.path)
        behaviors = self.server.behaviors.get(self.path, ["404"])
        behavior = behaviors.pop(0) if len(behaviors) > 1 else behaviors[0]
        if isinstance(behavior, bytes):
            self.send(behavior, len(behavior))
        elif behavior.isdigit():
            self.send_error(int(behavior))
        elif behavior in SENT:
            self.send(*SENT[behavior])
        else:
            getattr(self, f"do_{behavior}")()

    def send(self, body: bytes, length: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if body.startswith(b"<") else "application/octet-stream")
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def do_stall(self):
        self.send(BODY[:5000], len(BODY))
        self.wfile.flush()
        time.sleep(30)

    def do_bad_length(self):
        self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: many\r\n\r\n" + BODY)

    def do_bad_redirect(self):
        self.wfile.write(b"HTTP/1.0 302 Found\r\nLocation: http://a..b/\r\n\r\n")

    def do_drip(self):
        self.send(b"", len(BODY))
        self.drip(BODY)

    def do_drip_header(self):
        self.drip(b"HTTP/1.0 200 OK\r\nX: " + b"x" * 1000)

    def drip(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            for k in range(100):
                self.wfile.write(data[k : k + 1])
                self.wfile.flush()
                time.sleep(0.1)

    def do_endless(self):
        self.send(b"")
        with contextlib.suppress(OSError):
            for _ in range(100_000):
                self.wfile.write(BODY)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield running
        running.shutdown()


def entry_of(*urls: str, **more) -> dict:
    file = {"name": "data.bin", "bytes": len(BODY), "sha256": [{"value": SHA, "of": "upstream"}], "urls": list(urls), **more}
    return {"name": "toy", "files": [file]}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("behavior", "got"),
    [
        ("truncated", "IncompleteRead"),
        ("truncated_without_length", "got 5000 bytes"),
        ("wrong_bytes", f"got {hashlib.sha256(b'x' + BODY[1:]).hexdigest()}"),
        ("wrong_length", f"got {len(BODY) + 4} bytes"),
        ("404", "HTTP status 404"),
        ("500", "HTTP status 500"),
        ("stall", "timed out"),
        ("bad_length", "ValueError: invalid literal for int() with base 10: 'many'"),
        ("bad_redirect", "label empty or too long"),
    ],
)
def test_bad_download_leaves_no_file_and_reports_what_was_received(server, tmp_path, behavior, got):
    address = server.address("/data.bin", behavior)
    with pytest.raises(DownloadError) as caught:
        fetch(entry_of(address), tmp_path, policy=QUICK)
    text = str(caught.value)
    assert all(word in text for word in ("data.bin", address, got))
    if "got" in got:
        assert SHA in text
        assert f"expected {len(BODY)} bytes" in text or f"got {len(BODY)} bytes as expected" in text
    assert names(tmp_path) == []
    server.address("/data.bin", "ok")
    record = fetch(entry_of(address), tmp_path, policy=QUICK)
    assert record == {"data.bin": {"sha256": SHA, "verified": "sha256, upstream"}}
    assert (tmp_path / "data.bin").read_bytes() == BODY
    assert names(tmp_path) == ["data.bin"]


@pytest.mark.parametrize(
    ("behavior", "words"),
    [
        ("drip", "too slow: expected 2000 bytes a second"),
        ("drip_header", "too slow: expected 2000 bytes a second, 0 bytes came in"),
        ("endless", f"expected at most {len(BODY) + (1 << 16)} bytes, more than"),
    ],
)
def test_downloads_are_limited_in_time_and_size(server, tmp_path, behavior, words):
    address = server.address("/data.bin", behavior)
    start = time.monotonic()
    with pytest.raises(DownloadError) as caught:
        fetch(entry_of(address), tmp_path, policy=replace(QUICK, patience=0.6))
    assert time.monotonic() - start < 6
    assert "file 'data.bin'" in str(caught.value)
    assert f"{address}: {words}" in str(caught.value)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("behavior", "content"),
    [
        ("bomb", {"content_sha256": hashlib.sha256(ZEROS).hexdigest()}),
        ("tar_bomb", {"members": {"algorithm": "md5", "values": {"b": hashlib.md5(ZEROS).hexdigest()}}}),
    ],
)
def test_content_is_limited_by_the_size_in_the_entry(server, tmp_path, behavior, content):
    """The content itself is correct in both cases, so that only the limit stops it."""
    address = server.address("/data.bin", behavior)
    with pytest.raises(DownloadError) as caught:
        fetch(entry_of(address, sha256=[], **content), tmp_path, policy=QUICK)
    most = 30 * len(BODY) + (1 << 16)
    assert f"expected at most {most:,} bytes when decompressed (by the size that its entry states)" in str(caught.value)
    assert names(tmp_path) == []
    fetch(entry_of(address, sha256=[], **content, bytes=3 * len(BODY) * 10), tmp_path, policy=QUICK)
    assert names(tmp_path) == ["data.bin"]


def test_most_bytes_limits_a_file_of_unknown_size(server, tmp_path):
    entry = entry_of(server.address("/data.bin", "ok"), most_bytes=len(BODY))
    del entry["files"][0]["bytes"]
    fetch(entry, tmp_path / "right", policy=QUICK)
    entry["files"][0]["most_bytes"] -= 1
    with pytest.raises(DownloadError, match=f"expected at most {len(BODY) - 1} bytes, more than"):
        fetch(entry, tmp_path / "wrong", policy=QUICK)
    assert names(tmp_path / "wrong") == []


def test_damaged_content_is_downloaded_again(server, tmp_path):
    fetch(entry_of(server.address("/data.bin", "wrong_bytes", "ok")), tmp_path, policy=QUICK)
    assert (tmp_path / "data.bin").read_bytes() == BODY
    assert len(server.asked) == 2


def test_backoff_doubles(server, tmp_path, monkeypatch):
    pauses = []
    clock = SimpleNamespace(sleep=pauses.append, monotonic=time.monotonic)  # not time.sleep itself: servers' threads call it
    monkeypatch.setattr("pulib.datasets.download.time", clock)
    with pytest.raises(DownloadError, match="4 attempts"):
        fetch(entry_of(server.address("/data.bin", "500")), tmp_path, policy=Policy(attempts=4, backoff=0.5))
    assert pauses == [0.5, 1.0, 2.0]


def test_tries_addresses_in_order_and_names_all_in_the_error(server, tmp_path):
    urls = [server.address("/a", "404"), server.address("/b", "wrong_bytes"), server.address("/c", "ok")]
    fetch(entry_of(*urls), tmp_path, policy=QUICK)
    assert (tmp_path / "data.bin").read_bytes() == BODY
    with pytest.raises(DownloadError) as caught:
        fetch(entry_of(*urls[:2]), tmp_path / "other", policy=QUICK)
    assert all(url in str(caught.value) for url in urls[:2])
    assert server.asked.count("/a") == 2  # once per fetch: a missing page is not tried again


def test_mirrors_are_tried_first(server, tmp_path):
    (tmp_path / "mirror" / "toy").mkdir(parents=True)
    (tmp_path / "mirror" / "toy" / "data.bin").write_bytes(b"damaged")
    server.address("/sets/toy/data.bin", "ok")
    entry = entry_of(server.address("/canonical", "ok"))
    address = server.base.replace("http", "HTTP")
    fetch(entry, tmp_path / "out", [str(tmp_path / "mirror"), f"{address}/sets/"], policy=QUICK)
    assert server.asked == ["/sets/toy/data.bin"]
    (tmp_path / "mirror" / "toy" / "data.bin").write_bytes(BODY)
    fetch(entry, tmp_path / "again", str(tmp_path / "mirror"), policy=QUICK)
    assert len(server.asked) == 1
    assert (tmp_path / "mirror" / "toy" / "data.bin").read_bytes() == BODY


def test_mirror_may_use_another_name_and_compression(tmp_path):
    packed = lzma.compress(BODY)
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "data.bin.xz").write_bytes(packed)
    entry = entry_of("http://127.0.0.1:9/none", also_as=["data.bin.xz"], content_sha256=SHA)
    record = fetch(entry, tmp_path / "out", tmp_path, policy=QUICK)
    assert record["data.bin"]["verified"] == "sha256 of the content"
    (tmp_path / "toy" / "data.bin.xz").write_bytes(packed[:-20])
    with pytest.raises(DownloadError, match="cannot be decompressed"):
        fetch(entry, tmp_path / "other", tmp_path, policy=QUICK)


def test_existing_files_are_checked_and_not_downloaded_again(server, tmp_path):
    entry = entry_of(server.address("/data.bin", "ok"))
    for _ in range(2):
        fetch(entry, tmp_path, policy=QUICK)
    assert len(server.asked) == 1
    (tmp_path / "data.bin").write_bytes(BODY[:-1])
    fetch(entry, tmp_path, policy=QUICK)
    assert (tmp_path / "data.bin").read_bytes() == BODY
    (tmp_path / "data.bin").write_bytes(BODY[:-1])
    server.address("/data.bin", "404")
    with pytest.raises(DownloadError, match="; removed"):
        fetch(entry, tmp_path, policy=QUICK)
    assert names(tmp_path) == []


def test_full_disk(server, tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here to write to")
    partial = tmp_path / f".data.bin.{socket.gethostname()}-{os.getpid()}.part"
    partial.symlink_to("/dev/full")  # every write fails as on a full disk
    address = server.address("/data.bin", "ok")
    with pytest.raises(DownloadError) as caught:
        fetch(entry_of(address), tmp_path, policy=QUICK)
    text = str(caught.value)
    assert all(word in text for word in ("No space left on device", "data.bin", address, str(len(BODY))))
    assert caught.value.errno == errno.ENOSPC
    assert names(tmp_path) == []
    fetch(entry_of(address), tmp_path, policy=QUICK)
    assert (tmp_path / "data.bin").read_bytes() == BODY


def test_free_space_is_checked_before_the_download(server, tmp_path):
    address = server.address("/data.bin", "ok")
    with pytest.raises(DownloadError, match="are needed") as caught:
        fetch(entry_of(address, bytes=10**18), tmp_path, policy=QUICK)
    assert caught.value.errno == errno.ENOSPC
    assert server.asked == []


def fetching(address, folder):
    code = f"from pulib.datasets.download import fetch; fetch({entry_of(address)!r}, {str(folder)!r})"
    return subprocess.Popen([sys.executable, "-c", code])


def test_rerun_after_a_kill_during_a_download(server, tmp_path):
    address = server.address("/data.bin", "stall", "ok")
    process = fetching(address, tmp_path)
    deadline = time.monotonic() + 30
    while not (list(tmp_path.glob(".data.bin.*.part")) and server.asked) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (left,) = names(tmp_path)
    assert left.endswith(".part")
    fetch(entry_of(address), tmp_path, policy=QUICK)
    assert names(tmp_path) == ["data.bin"]
    assert (tmp_path / "data.bin").read_bytes() == BODY


def test_two_processes_at_once_leave_one_complete_file(server, tmp_path):
    address = server.address("/data.bin", "ok")
    processes = [fetching(address, tmp_path) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert names(tmp_path) == ["data.bin"]


def test_error_names_every_missing_file(server, tmp_path):
    files = [dict(entry_of(server.address(f"/{k}", "404" if k else "ok"))["files"][0], name=f"{k}.bin") for k in range(3)]
    with pytest.raises(DownloadError) as caught:
        fetch({"name": "toy", "files": files}, tmp_path, tmp_path / "mirror", policy=QUICK)
    assert "'1.bin'" in str(caught.value)
    assert "'2.bin'" in str(caught.value)
    assert caught.value.summary == f"1.bin, 2.bin could not be downloaded ({server.base}/1, {server.base}/2)"
    assert names(tmp_path) == ["0.bin"]


def test_user_file_is_read_again_each_time(tmp_path):
    mine = tmp_path / "mine.csv"
    entry = {"name": "toy", "files": [{"name": "mine.csv", "path": str(mine)}]}
    with pytest.raises(DownloadError, match="no such file"):
        fetch(entry, tmp_path / "out")
    for text in ("a\n1\n", "a\n2\n"):
        mine.write_text(text)
        record = fetch(entry, tmp_path / "out")
        assert (tmp_path / "out" / "mine.csv").read_text() == text
        assert record["mine.csv"]["sha256"] == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("answer", [b"220 hello\r\n530 not for you\r\n", b""])
def test_tries_the_next_address_if_an_ftp_server_refuses(server, tmp_path, monkeypatch, answer):
    with socket.create_server(("127.0.0.1", 0)) as refusing:

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = refusing.accept()
                    with connection:
                        connection.sendall(answer)
                        connection.recv(1000 if answer.startswith(b"220") else 0)

        threading.Thread(target=serve, daemon=True).start()
        connect, there = ftplib.FTP.connect, refusing.getsockname()[1]
        monkeypatch.setattr(ftplib.FTP, "connect", lambda ftp, host, port: connect(ftp, host, there))
        fetch(entry_of("ftp://127.0.0.1/data.bin", server.address("/data.bin", "ok")), tmp_path, policy=QUICK)
    assert (tmp_path / "data.bin").read_bytes() == BODY


def test_unreadable_mirror_is_skipped(server, tmp_path, monkeypatch):
    mirrored = tmp_path / "mirror" / "toy" / "data.bin"
    mirrored.parent.mkdir(parents=True)
    mirrored.write_bytes(BODY)

    def refusing(path, mode):  # as for every user but root
        if Path(path) == mirrored:
            raise PermissionError(13, "Permission denied", str(path))
        return open(path, mode)

    monkeypatch.setattr("pulib.datasets.download.open", refusing, raising=False)
    fetch(entry_of(server.address("/data.bin", "ok")), tmp_path / "out", tmp_path / "mirror", policy=QUICK)
    assert server.asked == ["/data.bin"]
    with pytest.raises(DownloadError, match=r"mirror/toy/data.bin: not readable \(Permission denied\)\n.*HTTP status 404"):
        fetch(entry_of(server.address("/data.bin", "404")), tmp_path / "none", tmp_path / "mirror", policy=QUICK)


@pytest.mark.parametrize("kind", ["sha256", "md5", "content_sha256", "members"])
def test_user_file_is_checked_against_its_entry(tmp_path, kind):
    """Also if it already lies at the destination, where it is never changed or removed."""
    wanted = {
        "sha256": [{"value": SHA, "of": "upstream"}],
        "md5": hashlib.md5(BODY).hexdigest(),
        "content_sha256": SHA,
        "members": {"algorithm": "md5", "values": {"a": "0" * 32}},
    }
    for folder in (tmp_path, tmp_path / "out"):
        folder.mkdir(exist_ok=True)
        mine = folder / "data.bin"
        entry = {"name": "toy", "files": [{"name": "data.bin", "path": str(mine), kind: wanted[kind]}]}
        mine.write_bytes(b"another")
        with pytest.raises(DownloadError, match="file 'data"):
            fetch(entry, tmp_path / "out")
        assert mine.read_bytes() == b"another"
        if kind != "members":
            mine.write_bytes(BODY)
            assert fetch(entry, tmp_path / "out")["data.bin"]["verified"] != "not checked, your own file"
            assert mine.read_bytes() == BODY
        mine.unlink()
