"""Download one address into a `.part` file: streamed, retried with back-off, resumed, verified, renamed.

Our own, because pooch, which does this elsewhere, begins a broken download again from its first byte.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import requests
from tqdm import tqdm

from crosslingua.corpora.datasets import checksum
from crosslingua.corpora.datasets.registry import DataFile
from crosslingua.errors import InputError

logger = logging.getLogger(__name__)

RETRIED_STATUS = {408, 425, 429, 500, 502, 503, 504}
BLOCK = 1 << 14  # bytes; a broken connection loses its last block, so not too large


class NotThere(InputError):
    """An address does not give the right file: another may."""


class _Again(Exception):
    """A failure that may pass: go on later from the bytes that are there; `wait` is in seconds, if asked."""

    def __init__(self, message: str, wait: float | None = None):
        super().__init__(message)
        self.wait = wait


@dataclass(frozen=True)
class Download:
    """How to download: attempts an address, first pause (doubled each time) and timeout in seconds.

    An attempt that brought bytes starts the count afresh: a large file may need many connections.
    """

    attempts: int = 5
    pause: float = 1.0
    longest_pause: float = 60.0
    timeout: float = 60.0
    sleep: Callable[[float], None] = time.sleep

    def to(self, target: Path, url: str, entry: DataFile) -> None:
        """Put the bytes of `url` at `target`, verified; NotThere if the address does not give the right ones.

        A `.part` of an earlier run is resumed where the registry knows the hash that the whole must have; if
        the whole is wrong then, the part was stale, and the file is fetched once more from its beginning.
        """
        part = target.with_name(target.name + ".part")
        with _locked(part) as stream:
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
                logger.warning("%s: the resumed file is not the right one; fetching it afresh", url)
                self._fill(stream, part, url, entry)
                _verify_part(part, target, url, entry)
            part.replace(target)

    def _fill(self, stream: IO[bytes], part: Path, url: str, entry: DataFile) -> None:
        failures, tag = 0, None
        while True:
            before = part.stat().st_size
            try:
                with self._open(url, before, tag) as response:
                    tag = response.headers.get("ETag")
                    _append(response, stream, part, entry)
                return
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
                _check_status(response, url)
                yield response
        except (
            requests.ConnectionError,
            requests.Timeout,
            requests.exceptions.ChunkedEncodingError,
        ) as error:
            raise _Again(f"connection lost ({type(error).__name__})") from None
        except requests.RequestException as error:
            raise NotThere(url, f"cannot be fetched ({error})") from None


@contextlib.contextmanager
def _locked(part: Path) -> Iterator[IO[bytes]]:
    """Open the `.part` for appending, for this process alone."""
    with part.open("ab") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(part, "another process is fetching this file", remedy="wait for it") from None
        try:
            yield stream
        finally:
            if part.exists() and part.stat().st_size == 0:
                part.unlink()


def _check_status(response: requests.Response, url: str) -> None:
    status = response.status_code
    if status in RETRIED_STATUS:
        wait = response.headers.get("Retry-After", "")
        raise _Again(f"HTTP status {status}", float(wait) if wait.isdigit() else None)
    if status not in (200, 206, 416):
        raise NotThere(url, f"HTTP status {status} {response.reason}")


def _append(response: requests.Response, stream: IO[bytes], part: Path, entry: DataFile) -> None:
    """Append the body to the part, or start it again where the server does not go on from its end."""
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
    whole = start + int(length) if length else None
    with _bar(part, start, whole or entry.size) as bar:
        try:
            for block in response.iter_content(BLOCK):
                stream.write(block)
                bar.update(len(block))
        finally:
            stream.flush()  # what came before a broken connection counts
    if whole is not None and part.stat().st_size < whole:
        raise _Again(f"connection lost after {part.stat().st_size} of {whole} bytes")


def _bar(part: Path, start: int, whole: int | None) -> tqdm:
    return tqdm(
        desc=part.name.removesuffix(".part"),
        initial=start,
        total=whole,
        unit="B",
        unit_scale=True,
        leave=False,
    )


def _verify_part(part: Path, target: Path, url: str, entry: DataFile) -> None:
    """Verify the part against the hash that `target` must have."""
    want, got, size = checksum.expected(target, entry), checksum.sha256(part), part.stat().st_size
    if want not in (None, got):
        sizes = f"{entry.size} bytes" if entry.size else "size unknown"
        raise NotThere(
            url, f"wrong SHA-256 for {target.name}: expected {want} ({sizes}), got {got} ({size} bytes)"
        )
    if size == 0:
        raise NotThere(url, "an empty file")
