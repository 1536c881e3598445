"""Leaderboards: what competes, in which order, and of which languages."""

from pathlib import Path

import pytest

from atlas_cards import complete
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import write_json
from crosslingua.paper_pages import paper_named
from crosslingua.report.site import write_site
from crosslingua.report.site.boards import Board, boards
from texts import written

HEAD = "convention,system,column,mean,deviation,seeds,mark,kind\n"


def ranks(board: Board) -> list[str]:
    return [entry.system for entry in board.entries if entry.is_ranked]


def test_systems_are_ranked_and_controls_and_failures_stand_last(tmp_path: Path) -> None:
    lines = (
        "P@1.,joint,en-de,2,1,3,‡,unsupervised\n"
        "P@1.,rcsls,en-de,20,1,3,,dictionary\n"
        "P@1.,geomm,en-de,30,,1,,dictionary\n"
        "P@1.,vecmap,en-de,40,1,3,†3/3,unsupervised\n"
        "P@1.,shortcut,en-de,50,,1,,\n"
        "P@1.,rcsls,mean,20,1,3,,dictionary\n"
        'P@1.,rcsls,"en-de, as published",20,1,3,,dictionary\n'
        "P@1.,duong,en-de,,,,,dictionary\n"
        "P@5.,joint,en-de,90,1,3,,unsupervised\n"
    )
    written(tmp_path / "real/joint_align_table2.csv", HEAD + lines)
    (board,) = boards([tmp_path / "real"])
    assert (board.task, board.column, board.languages) == (
        "Lexicons, words not spelt alike",
        "en-de",
        ("en", "de"),
    )
    assert ranks(board) == ["geomm", "rcsls"]
    assert [entry.system for entry in board.entries] == ["geomm", "rcsls", "shortcut", "vecmap", "joint"]
    assert [entry.spread for entry in board.entries[:2]] == ["", "± 1.0"]


def test_of_error_rates_the_lowest_is_first(tmp_path: Path) -> None:
    head = HEAD.replace(",mark,kind", "")
    written(
        tmp_path / "real/xlm_align_table2.csv", f"{head}AER.,gibbs,de-en,20,,1\nAER.,simalign,de-en,10,,1\n"
    )
    (board,) = boards([tmp_path / "real"])
    assert ranks(board) == ["simalign", "gibbs"]


@pytest.mark.parametrize(
    ("table", "is_highest_best"), [("joint_align_table2", True), ("xlm_align_table2", False)]
)
def test_a_rank_is_a_range_where_intervals_overlap(tmp_path: Path, table: str, is_highest_best: bool) -> None:
    """Of three runs with a deviation of 1, the interval reaches 2.48 to either side; 4.303 is Student's t."""
    scores = {"a": "30,1,3", "b": "23,1,3", "c": "20,1,3", "d": "5,1,3"}
    lines = "".join(f"x.,{system},en-de,{numbers},,\n" for system, numbers in scores.items())
    written(tmp_path / f"real/{table}.csv", HEAD + lines)
    (board,) = boards([tmp_path / "real"])
    by_system = dict(zip([entry.system for entry in board.entries], board.ranks, strict=True))
    first = {"a": "1", "b": "2–3", "c": "2–3", "d": "4"}
    last = {"d": "1", "c": "2–3", "b": "2–3", "a": "4"}
    assert by_system == (first if is_highest_best else last)
    written(tmp_path / f"real/{table}.csv", f"{HEAD}x.,a,en-de,30,,1,,\nx.,b,en-de,20,,1,‡,\n")
    assert boards([tmp_path / "real"])[0].ranks == ["1", ""]


@pytest.mark.parametrize(
    ("column", "languages"),
    [
        ("→ de", ("de",)),
        ("de alone", ("de",)),
        ("NER de_pud", ("de",)),
        ("slots tr_xsid", ("tr",)),
        ("hi", ("hi",)),
    ],
)
def test_the_languages_of_a_column(tmp_path: Path, column: str, languages: tuple[str, ...]) -> None:
    written(tmp_path / "real/laser_taggers_table2.csv", f"{HEAD}NER.,bert,{column},20,,1,,\n")
    (board,) = boards([tmp_path / "real"])
    assert board.languages == languages


def test_real_text_comes_first_and_tiny_has_none(tmp_path: Path) -> None:
    for scale in ("demo", "real", "tiny"):
        written(tmp_path / f"{scale}/joint_align_table1.csv", f"{HEAD}P@1.,rcsls,a-b,20,,1,,\n")
    assert [board.scale for board in boards(sorted(tmp_path.iterdir()))] == ["real", "demo"]


def test_a_card_of_the_atlas_ranks_strategies_beside_the_encoder(tmp_path: Path) -> None:
    card = complete()["pairs"][0]
    write_json(
        tmp_path / "atlas/cards/one.json", card | {"curve": {}, "reference": {"not spelt alike": 99.0}}
    )
    unlike = next(board for board in boards([tmp_path / "atlas"]) if board.task.endswith("not spelt alike"))
    condition = next(
        one
        for one in card["conditions"]
        if (one["supervision"], one["words"]) == ("dictionary", "not spelt alike")
    )
    by_value = sorted(condition["strategies"].items(), key=lambda item: -item[1]["value"])
    learnt = [f"{name} ({one['system']})" for name, one in by_value if one["value"] >= 5]
    assert ranks(unlike) == ["published encoder", *learnt]
    assert len(unlike.entries) == 1 + len(by_value)
    assert unlike.languages == tuple(card["languages"])


def test_strategies_that_have_not_learnt_have_no_rank(tmp_path: Path) -> None:
    card = complete()["pairs"][0]
    for condition in card["conditions"]:
        for value, one in zip((4.9, 12.0, 13.0, 40.0), condition["strategies"].values(), strict=False):
            one |= {"value": value, "low": value - 3, "high": value + 3}
    write_json(tmp_path / "atlas/cards/one.json", card | {"curve": {}, "reference": None, "spelling": 10.0})
    found = {board.task: board for board in boards([tmp_path / "atlas"])}
    unlike, alike = found["Lexicons, words not spelt alike"], found["Lexicons, all words"]
    assert [entry.mark for entry in unlike.entries if not entry.is_ranked] == ["hardly learnt"]
    assert [entry.value for entry in alike.entries if entry.is_ranked] == [40.0]
    assert [entry.system for entry in alike.entries if entry.is_control] == ["each word by itself"]


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds neither tables nor cards"):
        write_site([tmp_path / "empty"], tmp_path / "site", paper_named)


@pytest.mark.parametrize("folders", [[], ["."], [".."], ["a/real", "b/real"]])
def test_folders_without_a_name_of_their_own_are_refused(tmp_path: Path, folders: list[str]) -> None:
    with pytest.raises(ConfigError, match="say results/reference/SCALE"):
        write_site([Path(name) for name in folders], tmp_path / "site", paper_named)


def test_a_site_replaces_no_results(tmp_path: Path) -> None:
    table = written(tmp_path / "committed/real/joint_align_table1.md", "")
    own = written(tmp_path / "results/real/metrics.csv", "")
    with pytest.raises(ConfigError, match="holds real, a foreign file that would be lost"):
        write_site([table.parent], tmp_path / "results", paper_named)
    assert own.is_file()
