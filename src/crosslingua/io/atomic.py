"""Files and folders that are written whole or not at all: a temporary name beside the target, renamed at the end."""

import errno
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from glob import escape
from pathlib import Path
from typing import IO, Any

from crosslingua.errors import ConfigError, InputError


@contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder beside `path`, locked while this process lives; remove it if it is still there at the end."""
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _lock(descriptor)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock a temporary file or folder while this process lives. The kernel releases the lock of a dead process."""
    with suppress(OSError):  # a file system without locks: its leftovers stay
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def remove_leftovers(path: Path) -> None:
    """Remove the temporary files and folders of `path` that no living process holds."""
    start = f".{path.name}."
    made = f"{re.escape(start)}[a-z0-9_]{{8}}({re.escape(path.suffix)})?"  # as tempfile makes them
    with os.scandir(path.parent) as entries:
        left = [Path(entry) for entry in entries if entry.name.startswith(start) and not entry.is_symlink()]
    for entry in left:
        if re.fullmatch(made, entry.name) and _is_free(entry):
            shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() else entry.unlink(missing_ok=True)


def _is_free(entry: Path) -> bool:
    with suppress(OSError):  # gone meanwhile, or locked
        descriptor = os.open(entry, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        finally:
            os.close(descriptor)
    return False


LONGEST_NAME = 150  # characters
UNSAFE = re.compile(r"[/\\\x00-\x1f\x7f]")


def file_name(name: str, where: str) -> str:
    """Return a name, given by `where`, of which a file is called. ConfigError for one that leads to another folder."""
    if not name or name.startswith(".") or UNSAFE.search(name) or len(name) > LONGEST_NAME:
        raise ConfigError(
            f"{where}: {name[:LONGEST_NAME]!r} can't be the name of a file: write up to {LONGEST_NAME} letters, "
            "digits, _ or -"
        )
    return name


MARK = ".snakemake_timestamp"  # a workflow leaves it in folders that its jobs wrote; it is no loss


def check_output_folder(path: str | Path, names: Collection[str]) -> None:
    """Raise ConfigError, with the remedy, unless `path` can be written without loss of other files. A folder may be
    replaced if it holds only `names` (or patterns). The working folder and the folders above never are.
    """
    path, place = Path(path), Path(path).resolve()
    here = Path.cwd().resolve()
    if place == here or place in here.parents:
        raise ConfigError(
            f"{path}: the working folder, or a folder around it, would be replaced: name a new folder"
        )
    if place.exists() and not place.is_dir():
        raise ConfigError(f"{path}: is a file, and a folder is to be written: name another")
    entries = path.iterdir() if place.is_dir() else ()
    for name in sorted(entry.name for entry in entries):
        if not any(fnmatchcase(name, pattern) for pattern in (*names, MARK)):
            raise ConfigError(
                f"{path}: holds {name}, a foreign file that would be lost: name another folder, or move the file"
            )
    parent = next(folder for folder in place.parents if folder.exists())
    if not parent.is_dir():
        raise ConfigError(f"{path}: {parent} is a file, and no folder can be made in it: name another")
    try:
        tempfile.TemporaryDirectory(prefix=f".{place.name}.", dir=parent).cleanup()
    except OSError as error:
        raise ConfigError(f"{path}: nothing can be written in {parent} ({error.strerror})") from None


NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
RUST = re.compile(r"\(os error (\d+)\)")  # in messages of safetensors and tokenizers


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Give an OSError the name of `path` where it has none or that of a temporary file. A library's error that comes
    of a lack of room becomes an OSError: torch chains it, and Rust's libraries write its number.
    """
    try:
        yield
    except OSError as error:
        place = Path(error.filename2 or error.filename or "")  # of a copy, where the bytes go
        is_temporary = any(part.name.startswith(f".{path.name}.") for part in (place, *place.parents))
        if error.errno and (is_temporary or not error.filename):
            error.filename, error.filename2 = str(path), None
        raise
    except Exception as error:
        told = RUST.search(str(error))
        number = int(told[1]) if told else getattr(error.__context__, "errno", None)
        if number not in NO_ROOM:
            raise
        raise OSError(number, os.strerror(number), str(path)) from error


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path (same suffix) that replaces the file `path` on success and is deleted on error.

    A link stays a link: the file behind it is replaced. A pipe or a device gets the bytes at the end. An error of a
    full disk names `path`.
    """
    if Path(path).is_dir():  # so is an empty name
        raise InputError(path or "''", "is a folder, and a file is to be written", remedy="name a file")
    path = Path(path)
    is_special = path.exists() and not path.is_file() and not path.is_dir()
    if path.is_symlink() and not is_special:
        path = path.resolve()
    folder = Path(tempfile.gettempdir()) if is_special else path.parent
    folder.mkdir(parents=True, exist_ok=True)
    with named(path):
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=folder)
        temporary = Path(name)
        try:
            _lock(descriptor)
            yield temporary
            if is_special:
                with temporary.open("rb") as stream, path.open("wb") as device:
                    shutil.copyfileobj(stream, device)
                return
            umask = os.umask(0)
            os.umask(umask)
            temporary.chmod(0o666 & ~umask)  # mkstemp makes files private; outputs follow the user's umask
            temporary.replace(path)
            remove_leftovers(path)
        finally:
            temporary.unlink(missing_ok=True)
            os.close(descriptor)


@contextmanager
def atomic_open(path: str | Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open `path` for writing through `atomic_path`; text is UTF-8 with `\\n` line ends."""
    how = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    with atomic_path(path) as temporary, temporary.open(mode, **how) as stream:
        yield stream


@contextmanager
def atomic_folder(path: str | Path, names: Collection[str] = ()) -> Iterator[Path]:
    """Yield a temporary folder that replaces `path` on success and is removed on error. Raises ConfigError if the old
    folder holds other files than the new one's and `names` (see `check_output_folder`).
    """
    check_output_folder(path, names or ("*",))
    path = Path(path).resolve()  # a link stays a link
    path.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(path) as temporary, named(path):
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o777 & ~umask)
        check_output_folder(path, {*names, *(escape(entry.name) for entry in temporary.iterdir())})
        _replace(temporary, path)
    remove_leftovers(path)  # not before: if a run was killed between the two renames, OUT is one of them


def _replace(new: Path, path: Path) -> None:
    """Replace the folder, with the old one renamed aside until the new one is in place."""
    if not path.exists():
        new.replace(path)
        return
    with temporary_folder(path) as aside:
        path.replace(aside)
        try:
            new.replace(path)
        except OSError:
            aside.replace(path)
            raise


def write_records(path: str | Path, texts: Iterable[str], what: str) -> int:
    """Write the texts of records atomically; return their number. Raises InputError where there is no `what`."""
    count = 0
    with atomic_open(path) as stream:
        for text in texts:
            stream.write(text)
            count += 1
        if not count:
            raise InputError(path, f"no {what} to write")
    return count
