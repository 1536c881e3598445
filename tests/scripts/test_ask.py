"""A command line of `crosslingua ask` that cannot be meant is refused, and leaves the last answer in its place."""

import re
from pathlib import Path

import pytest

from crosslingua import command
from programs import SCRIPTS, call, run_script
from texts import written


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two texts of one content, and an earlier answer."""
    monkeypatch.setattr(command, "ROOT", tmp_path)
    for name in ("text.sw", "text.en"):
        (tmp_path / name).write_text("two\nlines\n")
    (tmp_path / "text").mkdir()
    written(tmp_path / "results/ask_sw_en/answer.html", "of before")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "more", "message"),
    [
        ("", (), "a text is not named: say make ask SOURCE=text.sw TARGET=text.en"),
        ("text", (), "text: is a folder"),
        ("text.xx", (), "text.xx: no such file"),
        ("text.sw", ("--languages", "SW", "en"), "--languages: 'SW': write lower-case .* and _, for example sw"),
        ("text.sw", ("--languages", "../x", "en"), "--languages: '../x': write .*, for example x"),
        ("text.sw", ("--languages", "en", "en"), "both texts are en"),
        ("text.sw", (), "has the words of"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(checkout: Path, source: str, more: tuple[str, ...], message) -> None:
    said = call("ask.py", "--source", source, "--target", "text.en", *more, folder=checkout, ok=False)
    assert re.search(message, said)
    assert [path.name for path in (checkout / "results").rglob("*")] == ["ask_sw_en", "answer.html"]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--cores", "0", "0: write a whole number from 1, or all"),
        ("--cores", "some", "some: write a whole number"),
        ("--seeds", "1001", "1001: must be a whole number from 1 to 1000"),
    ],
)
def test_numbers_out_of_range_are_refused(checkout: Path, option: str, value: str, message: str) -> None:
    texts = ("--source", checkout / "text.sw", "--target", checkout / "text.en")
    ended = run_script(SCRIPTS / "ask.py", *texts, option, value)
    assert ended.status == 2
    assert message in ended.stderr
