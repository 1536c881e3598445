"""Debian packages as archives: the tar file of their contents. Nothing in a package is run."""

import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crosslingua.errors import InputError

MAGIC, HEADER = b"!<arch>\n", 60  # of an ar archive, and of each of its members (deb(5))
NAME, SIZE = slice(0, 16), slice(48, 58)


@contextmanager
def contents(package: str | Path) -> Iterator[tarfile.TarFile]:
    """Open the member `data.tar` of a package, compressed or not. InputError if the file is no package, or cut."""
    with Path(package).open("rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            raise InputError(package, "no Debian package: it does not begin with !<arch>")
        while len(header := stream.read(HEADER)) == HEADER:
            name, size = header[NAME].decode("ascii", "replace").strip(" /"), header[SIZE].strip()
            held = stream.read(int(size)) if size.isdigit() else b""
            if not size.isdigit() or len(held) < int(size):
                break
            if name.startswith("data.tar"):
                with tarfile.open(fileobj=io.BytesIO(held)) as bundle:
                    yield bundle
                return
            stream.read(int(size) % 2)  # members begin at even places
    raise InputError(package, "truncated or damaged (no whole data.tar)", remedy="fetch it again")
