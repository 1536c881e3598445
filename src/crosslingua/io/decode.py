"""Bytes to lines of text: UTF-8, `\\n` or `\\r\\n`, an error with file and line, or a counted repair by choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.archives import OPENERS, SEPARATOR, open_source

REPLACEMENT = "\ufffd"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
COMPRESSED = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ": ".xz",
}  # how files begin whose names should end so


def decoded_lines(
    source: str | Path, errors: str = "strict", counts: Counter[str] | None = None
) -> Iterator[str]:
    """Yield the lines of a file, compressed file or archive member, without line ends and byte-order mark.

    Only `\\n` and `\\r\\n` end a line: U+2028 and its kin stay in it, so that parallel files stay parallel.
    Invalid UTF-8 raises InputError with file and line; with `errors="replace"` each bad sequence becomes U+FFFD
    and is counted in `counts["replaced_characters"]`. Who lets the user choose gives `counts`.
    """
    if errors not in ("strict", "replace"):
        raise ConfigError(f"errors is {errors!r}: say strict or replace")
    with open_source(source) as stream:
        for number, raw in enumerate(stream, 1):
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                if errors == "strict":
                    raise _invalid(source, raw, number, error, choice=counts is not None) from None
                text = raw.decode("utf-8", "replace")
                if counts is not None:
                    own = raw.count(REPLACEMENT.encode())
                    counts["replaced_characters"] += text.count(REPLACEMENT) - own
            if number == 1:
                text = text.removeprefix("\ufeff")
            yield text.removesuffix("\n").removesuffix("\r")


def known_lines(source: str | Path) -> int | None:
    """Return how many lines `decoded_lines` yields, where counting costs little next to what is done with them.

    None for what can be read only once (a pipe) or has to be decompressed first, and for what is not there.
    """
    path = Path(source)
    if SEPARATOR in str(source) or path.suffix in OPENERS or not path.is_file():
        return None
    lines, last = 0, b"\n"
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            lines, last = lines + block.count(b"\n"), block[-1:]
    return lines + (last != b"\n")


def _invalid(
    source: str | Path, raw: bytes, number: int, error: UnicodeDecodeError, *, choice: bool
) -> InputError:
    """Return the error of a line: what the file is instead, or where it is wrong; `choice`: of repairing it."""
    if number == 1 and raw.startswith(UTF16):
        return InputError(source, "UTF-16, not UTF-8", line=1, remedy="convert it: iconv -f UTF-16 -t UTF-8")
    for magic, suffix in COMPRESSED.items():
        if number == 1 and raw.startswith(magic):
            return InputError(
                source, f"compressed, though its name does not end in {suffix}", line=1,
                remedy=f"call it {Path(source).name}{suffix}",
            )  # fmt: skip
    repair = ", or replace with --errors replace" if choice else ""
    return InputError(
        source, f"invalid UTF-8 ({error.reason} at byte {error.start})", line=number,
        remedy=f"convert the file to UTF-8, e.g. iconv -f LATIN1 -t UTF-8{repair}",
    )  # fmt: skip
