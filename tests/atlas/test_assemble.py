"""Cards that are read and put together to an atlas, and the program that writes it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from atlas_cards import LANGUAGES, card, complete, condition, large
from crosslingua.atlas.assemble import assemble, read_cards
from crosslingua.atlas.page import render
from crosslingua.claims.statements import read_claims
from crosslingua.errors import InputError
from crosslingua.io.json import write_json
from programs import SCRIPTS, run_script

VALUES = {"aligned": 4.0, "joint": 12.5}


def written(folder: Path, cards: Sequence[Mapping[str, Any]]) -> list[Path]:
    paths = [folder / f"{one['pair']}.{one['dictionary']}.json" for one in cards]
    for path, one in zip(paths, cards, strict=True):
        write_json(path, one)
    return paths


def test_points_of_curves_stand_apart_and_are_judged_by_nobody() -> None:
    drawn = large()
    atlas = assemble(drawn["pairs"][:20] + drawn["curves"])
    assert (len(atlas["pairs"]), len(atlas["curves"])) == (20, 32)
    assert (atlas["decides"]["pairs"], atlas["prediction"]["pairs"]) == (20, 20)
    codes = {code for one in drawn["pairs"][:20] for code in one["languages"]} | {"en", "fr", "hu"}
    assert [*atlas["languages"]] == sorted(codes)
    assert atlas["languages"]["fi"] == LANGUAGES["fi"]
    assert "mixed model over 20 pairs" in render(atlas)


def test_few_pairs_tell_nothing_of_what_decides() -> None:
    atlas = assemble(large()["pairs"][:7])
    assert (atlas["decides"], atlas["prediction"]) == (None, None)
    assert "too few pairs to say what decides" in render(atlas)


def test_cards_are_read_as_they_are(tmp_path: Path) -> None:
    cards = [card("fi", "hu", [condition(VALUES)], more=[1]), complete()["curves"][0]]
    cards += [card("fi", "hu", [condition(VALUES)], dictionary="freedict")]
    assert read_cards(written(tmp_path, cards)) == cards


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"statistics": {"spelt_alike": "many"}}, "statistics.spelt_alike: Input should be a valid number"),
        ({"statistics": {"text_words": [1]}}, "statistics.text_words: List should have at least 2 items"),
        ({"languages": ["fi"]}, "languages: List"),
        ({"curve": {"of": "fi-hu"}}, "curve: it needs of, words and dictionary"),
        ({"minutes": float("nan")}, "minutes: Input should be a finite number"),
        ({"scores": {"all": {"rcsls": {"1": -1.0}}}}, "scores.all.rcsls.1: Input should be greater"),
        ({"reference": {"all": 101.0}}, "reference.all: Input should be less than or equal to 100"),
        ({"conditions": [condition(VALUES) | {"best": "aligned"}]}, "'joint' can't lead there"),
        ({"conditions": [condition(VALUES) | {"strategies": {}}]}, "conditions.0.strategies: Dictionary"),
    ],
)
def test_a_damaged_card_is_named_with_the_remedy(
    tmp_path: Path, damage: dict[str, Any], message: str
) -> None:
    path = tmp_path / "fi-hu.json"
    whole = card("fi", "hu", [condition(VALUES)])
    whole |= damage | {"statistics": whole["statistics"] | damage.get("statistics", {})}
    path.write_text(json.dumps(whole))
    with pytest.raises(InputError, match=r"fi-hu\.json: .* \(make the pair's card again\)$") as found:
        read_cards([path])
    assert message in str(found.value)


def test_a_card_without_a_key_and_a_pair_twice_are_refused(tmp_path: Path) -> None:
    one = card("fi", "hu", [condition(VALUES)])
    write_json(tmp_path / "a.json", one)
    write_json(tmp_path / "b.json", one)
    with pytest.raises(InputError, match=r"b\.json: .*a\.json is of fi_a-hu_b and panlex too"):
        read_cards([tmp_path / "a.json", tmp_path / "b.json"])
    del one["domain"]
    write_json(tmp_path / "a.json", one)
    with pytest.raises(InputError, match=r"a\.json: domain: Field required"):
        read_cards([tmp_path / "a.json"])


def test_the_program_writes_numbers_and_page_or_nothing(tmp_path: Path) -> None:
    paths = written(tmp_path, large()["pairs"][:9])
    root = SCRIPTS.parent
    claims, schema = root / "reference/joint_align_claims.yaml", root / "schemas/claims.schema.yaml"
    out = ["--out-json", tmp_path / "out/atlas.json", "--out-html", tmp_path / "out/atlas.html"]
    out += ["--claims", claims, "--schema", schema]
    assert run_script(SCRIPTS / "write_atlas.py", "--cards", *paths, *out).status == 0
    atlas = json.loads((tmp_path / "out/atlas.json").read_text())
    assert atlas == json.loads(json.dumps(assemble(large()["pairs"][:9], read_claims(claims, schema))))
    assert (tmp_path / "out/atlas.html").read_text() == render(atlas)
    paths[0].write_text("{")
    ended = run_script(SCRIPTS / "write_atlas.py", "--cards", *paths, *out[:1], tmp_path / "x.json", *out[2:])
    assert "not JSON" in ended.error
    assert not (tmp_path / "x.json").exists()
