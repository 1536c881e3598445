"""Carry results between two checkouts, so that another machine, say one with a GPU, runs some stages.

    python scripts/carry.py pack results/real/corpora results/real/encoders/tokenisers --out carried
    python scripts/carry.py unpack carried.json

`pack` writes carried.001, carried.002, ... of at most --part-mb megabytes, and carried.json with their checksums. The
parts are one compressed archive of files with their times, and of Snakemake's records of the files, so that the other
machine repeats no finished job. --leave omits files by pattern; Snakemake does not ask for what no later job needs.
--half stores weights in bfloat16, half the size; `unpack` makes single precision of them, with 8 bits of precision.
`unpack` checks every part before it writes, and replaces only files that are older than the carried ones.
"""

import base64
import hashlib
import io
import lzma
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from crosslingua.cli import count_number, parser, run, whole_number
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import read_json, write_json
from crosslingua.provenance import code_version, sha256

RECORDS = Path(".snakemake/metadata")
# Far repetitions are found too: parallel text is often running text as well. Takes 1.4 GB of memory.
WINDOW = 2**27  # bytes
WEIGHTS = ".safetensors"


def main() -> None:
    """Pack or unpack."""
    p = parser(__doc__)
    actions = p.add_subparsers(required=True, metavar="pack or unpack")
    packing = actions.add_parser("pack", help="write an archive in parts")
    packing.add_argument("paths", nargs="+", type=Path, help="files and folders of this checkout")
    packing.add_argument("--out", required=True, help="name of the parts, without the number")
    packing.add_argument(
        "--leave", nargs="+", default=[], metavar="PATTERN", help="files to omit, as in '*/logs/*'"
    )
    packing.add_argument("--part-mb", type=count_number, default=60, help="largest part in megabytes")
    packing.add_argument(
        "--level", type=whole_number(0, 9), default=6, help="of compression: 0 is fast, 9 small"
    )
    packing.add_argument("--half", action="store_true", help="weights in bfloat16")
    packing.set_defaults(action=lambda a: pack(a.paths, a.out, a.leave, a.part_mb * 10**6, a.half, a.level))
    unpacking = actions.add_parser("unpack", help="check an archive, and place its files in this checkout")
    unpacking.add_argument("manifest", type=Path, help="the JSON file beside the parts")
    unpacking.set_defaults(action=lambda a: unpack(a.manifest))
    args = p.parse_args()
    args.action(args)


class Parts(io.RawIOBase):
    """A file to write that goes on in another part whenever one is full."""

    def __init__(self, out: str, most: int):
        self.out, self.most, self.left = out, most, 0
        self.sums: dict[str, Any] = {}
        self.file: io.BufferedWriter | None = None

    def writable(self) -> bool:
        """Say that it can be written."""
        return True

    def write(self, data: Any) -> int:
        """Write all bytes, to several parts if need be."""
        rest = memoryview(data)
        while len(rest):
            if not self.left:
                self._next()
            now = rest[: self.left]
            self.file.write(now)
            self.sums[self.file.name].update(now)
            self.left, rest = self.left - len(now), rest[len(now) :]
        return len(data)

    def _next(self) -> None:
        if self.file:
            self.file.close()
        self.file = Path(f"{self.out}.{len(self.sums) + 1:03}").open("wb")  # noqa: SIM115
        self.sums[self.file.name], self.left = hashlib.sha256(), self.most

    def close(self) -> None:
        """Close the last part."""
        if self.file:
            self.file.close()
        super().close()


def pack(
    paths: Sequence[Path], out: str, leave: Sequence[str], most: int, half: bool, level: int = 6
) -> None:
    """Write files, and Snakemake's records of them, as parts of at most `most` bytes beside a manifest. Raises
    ConfigError for a path that is missing or outside the folder, or where nothing is left.
    """
    for path in paths:
        if path.is_absolute() or ".." in path.parts:
            raise ConfigError(f"{path}: name files relative to the checkout, which is the working folder")
        if not path.exists():
            raise ConfigError(f"{path} does not exist")
    chosen = [path for path in files(paths) if not any(fnmatch(str(path), one) for one in leave)]
    if not chosen:
        raise ConfigError("no file is left to pack: --leave omits all")
    halved: dict[str, list[str]] = {}  # names of tensors by file; those of other precisions stay as they are
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": level, "dict_size": WINDOW}]
    with Parts(out, most) as parts:
        with (
            lzma.open(parts, "wb", filters=filters) as packed,
            tarfile.open(fileobj=packed, mode="w|") as archive,
        ):
            for path in [*chosen, *records(chosen)]:
                if half and path.suffix == WEIGHTS:
                    with tempfile.TemporaryDirectory() as folder:
                        made = Path(folder, path.name)
                        halved[str(path)] = cast(path, made, "float32", "bfloat16")
                        shutil.copystat(path, made)
                        archive.add(made, str(path))
                else:
                    archive.add(path.resolve(), str(path))
        sums = {Path(name).name: made.hexdigest() for name, made in parts.sums.items()}
    about = {"code": code_version(), "files": len(chosen), "parts": sums, "half": halved}
    write_json(f"{out}.json", about)
    size = sum(Path(out).with_name(name).stat().st_size for name in sums)
    print(f"{len(chosen)} files in {len(sums)} parts, {size / 1e6:.1f} MB: take them and {out}.json along")


def files(paths: Sequence[Path]) -> list[Path]:
    """Return the files of paths, in order."""
    found: set[Path] = set()
    for path in paths:
        inside = (one for one in path.rglob("*") if one.is_file()) if path.is_dir() else (path,)
        found.update(inside)
    return sorted(found)


def records(chosen: Sequence[Path]) -> Iterator[Path]:
    """Yield Snakemake's records of outputs that are some files, or folders of them."""
    outputs = {str(parent) for path in chosen for parent in (path, *path.parents)}
    for record in sorted(one for one in RECORDS.rglob("*") if one.is_file()):
        name = "".join(part.lstrip("@") for part in record.relative_to(RECORDS).parts)  # a long name is cut
        if base64.b64decode(name, altchars=b"-_").decode() in outputs:
            yield record


def cast(path: Path, out: Path, before: str, after: str, names: Sequence[str] | None = None) -> list[str]:
    """Write weights with tensors of one precision in another, only those of some names if given; return the names."""
    import torch
    from safetensors import safe_open
    from safetensors.torch import save_file

    with safe_open(path, "pt") as weights:
        about = weights.metadata()
        tensors = {name: weights.get_tensor(name) for name in weights.keys()}  # noqa: SIM118
    chosen = [
        name
        for name, tensor in tensors.items()
        if tensor.dtype == getattr(torch, before) and (names is None or name in names)
    ]
    save_file(tensors | {name: tensors[name].to(getattr(torch, after)) for name in chosen}, out, about)
    return chosen


def unpack(manifest: Path) -> None:
    """Check all parts, then place the files. Raises InputError for a part that is missing or has other bytes."""
    about = read_json(manifest, dict)
    paths = [manifest.with_name(name) for name in about["parts"]]
    for path, expected in zip(paths, about["parts"].values(), strict=True):
        if not path.is_file():
            raise InputError(path, "the part is missing", remedy=f"copy it beside {manifest.name}")
        if sha256(path) != expected:
            raise InputError(path, "the part has other bytes than were packed", remedy="copy it again")
    with tempfile.TemporaryDirectory(dir=".", prefix=".carried.") as folder:
        with lzma.open(Joined(paths)) as packed, tarfile.open(fileobj=packed, mode="r|") as archive:
            archive.extractall(folder, filter="data")
        for file, names in about["half"].items():
            path = Path(folder, file)
            cast(path, whole := path.with_name(path.name + ".whole"), "bfloat16", "float32", names)
            shutil.copystat(path, whole)
            whole.replace(path)
        placed, kept = place(Path(folder))
    print(f"{placed} files are new, {kept} stay, since they are here as new or newer")


class Joined(io.RawIOBase):
    """The bytes of several files, one after the other."""

    def __init__(self, paths: Sequence[Path]):
        self.rest, self.file = list(paths), io.BytesIO()

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read from the file at hand, or the next."""
        while not (number := self.file.readinto(buffer)) and self.rest:
            self.file = self.rest.pop(0).open("rb")
        return number


def place(folder: Path) -> tuple[int, int]:
    """Move files to their paths unless those are as new; return how many moved and how many did not."""
    placed = kept = 0
    for path in files([folder]):
        target = path.relative_to(folder)
        if target.exists() and target.stat().st_mtime >= path.stat().st_mtime:
            kept += 1
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)
        placed += 1
    return placed, kept


if __name__ == "__main__":
    run(main)
