"""Archives of a few files."""

import io
import tarfile
import zipfile
from pathlib import Path


def zipped(path: Path, members: dict[str, str]) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in members.items():
            bundle.writestr(name, text)
    return str(path)


def tarred(path: Path, members: dict[str, str]) -> str:
    with tarfile.open(path, "w:gz") as bundle:
        for name, content in ((name, text.encode()) for name, text in members.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            bundle.addfile(entry, io.BytesIO(content))
    return str(path)


def packaged(path: Path, members: dict[str, str | bytes]) -> str:
    """Write a Debian package, whose members are a file of text, control data and the tar file of its contents."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:xz") as bundle:
        for name, content in members.items():
            raw = content.encode() if isinstance(content, str) else content
            entry = tarfile.TarInfo(name)
            entry.size = len(raw)
            bundle.addfile(entry, io.BytesIO(raw))
    made = b"!<arch>\n"
    parts = {"debian-binary": b"2.0\n", "control.tar.xz": b"odd", "data.tar.xz": held.getvalue()}
    for name, content in parts.items():
        made += f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content
        made += b"\n" * (len(content) % 2)
    path.write_bytes(made)
    return str(path)
