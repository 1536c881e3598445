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
