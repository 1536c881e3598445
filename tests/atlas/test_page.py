"""The atlas's page as HTML: what it says, that data stay text, and that only its own script and style may run."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from typing import Any
from urllib.parse import quote

import pytest
from lxml import html

from atlas_cards import KINDS, card, complete, condition, small
from crosslingua.atlas.page import render
from crosslingua.atlas.page.drawings import panels, scatter, steps
from crosslingua.atlas.page.pairs import pair_rows

PAYLOADS = (
    "</SCRIPT><svg/onload=alert(1)>",
    "<!--<script>",
    '"><img src=x onerror=alert(1)>',
    "</style>",
    "{{ 7 * 7 }}",
)


def page(atlas: dict[str, Any]) -> html.HtmlElement:
    return html.document_fromstring(render(atlas))


def text(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def rows(found: html.HtmlElement) -> list[html.HtmlElement]:
    return found.xpath("//table[@id='pairs_table']/tbody")


def shown(row: html.HtmlElement, cell: str, view: int) -> str:
    (found,) = row.xpath(f"tr[1]/*[@class='{cell}']/span[starts-with(@class, 'v v{view}')]")
    return text(found)


def test_each_pair_is_a_row_with_its_values_and_winner() -> None:
    bodies = rows(page(small()))
    assert [text(body.find("tr/th")) for body in bodies] == [
        "English–Hungarian, help pages", "English–Hungarian, novels", "Finnish–Hungarian, help pages",
        "Russian–Turkish, help pages",
    ]  # fmt: skip
    assert [body.get("id") for body in bodies] == ["en-hu", "en-hu-novels", "fi-hu", "ru-tr"]
    finnish = bodies[2]
    assert shown(finnish, "best", 0) == "joint+6.5 over both"
    assert shown(finnish, "joint", 0).startswith("12.5 [11.0, 14.0]★best")
    assert shown(finnish, "aligned", 0) == "4.0 [2.5, 5.5]"
    assert shown(finnish, "best", 1) == "both+8.0 over joint then mapped"
    assert shown(finnish, "best", 2) == "not told aparthighest: both"
    assert shown(bodies[0], "best", 2) == "–"
    assert text(finnish.find_class("words")[0]) == "98,000 words of text"


def test_the_headline_counts_pairs_and_winners_by_domain() -> None:
    first, second, third = (text(one) for one in page(small()).find_class("lead"))
    assert first.startswith(
        "In 2 of 4 language pairs one strategy is clearly best: “joint” wins 1 of 3 in help pages;"
        " “both” wins 1 of 1 in novels. "
    )
    assert second.startswith(
        "In 3 of 4 language pairs one strategy is clearly best: “joint” wins 1 of 3 in help pages and “both” 1;"
        " “both” wins 1 of 1 in novels. "
    )
    assert third.startswith("No strategy is clearly best in any of 1 language pair. ")
    novels = small() | {"pairs": small()["pairs"][1:3]}
    assert text(page(novels).find_class("lead")[0]).startswith(
        "In 1 of 2 language pairs one strategy is clearly best: none wins in help pages; “both” wins 1 of 1 in novels. "
    )


def test_a_card_has_all_systems_and_the_command() -> None:
    found = page(complete()).get_element_by_id("fi-hu").find("tr[2]")
    told = text(found)
    for part in (
        "make atlas TARGETS=fi_a-hu_b", "131,000 and 98,000 words (9,100 and 12,400 distinct ones)",
        "panlex: 477 words to train, 188 to test", "Finnish: Uralic (Finnic), Latin script",
        "Predicted before training: “both”. It loses 6.5 points against the best.", "no better than fixed rules",
        "joint, 12.5 [11.0, 14.0], leads “both” by 6.5 [4.2, 8.8], “joint then mapped” by 7.5 [5.2, 9.8]",
    ):  # fmt: skip
        assert part in told
    systems = [text(row) for row in found.findall(".//tbody/tr")]
    assert systems[0] == "joint_replace stands for joint12.5 11.5–13.521.0 20.0–22.0"
    assert len(systems) == 4


def test_the_published_encoder_and_strategies_below_the_control_are_marked() -> None:
    strategies = {"aligned": 4.0, "joint": 12.5}
    one = card("fi", "hu", [condition(strategies), condition(strategies, words="all")], spelling=4.0)
    one["scores"] = {words: {"e5": {"1": 30.0}, "rcsls": {"1": 4.0}} for words in ("not spelt alike", "all")}
    one["reference"] = {"not spelt alike": 30.0, "all": 30.0}
    (row,) = rows(page(small() | {"pairs": [one]}))
    assert shown(row, "aligned", 0) == "4.0 [2.5, 5.5]"
    assert shown(row, "aligned", 1) == "4.0 [2.5, 5.5] ‡"
    assert "‡" not in shown(row, "joint", 1)
    told = [text(system.find("th")) for system in row.findall("tr[2]//tbody/tr")]
    assert told == ["e5 published encoder, for reference", "rcsls stands for aligned", *told[2:]]


def test_what_decides_and_the_prediction_are_told() -> None:
    found = page(complete())
    effects = found.xpath("//section[@id='decides']//tbody/tr")
    assert text(effects[1]).startswith("larger text (log)+2.1 [0.3, 3.9]+2.1 [0.3, 3.9]")
    assert [len(row.findall(".//strong")) for row in effects] == [3, 3, 0]
    assert "novels (too few)" in text(found.get_element_by_id("decides"))
    judged = text(found.get_element_by_id("prediction"))
    assert "No: nothing measured before training predicts" in judged
    assert "predicted71.7 [60.0, 80.0]0.4 [0.2, 0.6]" in judged


def test_the_average_pair_of_each_domain_and_family_is_told() -> None:
    atlas = complete()
    atlas["pairs"][0]["reference"] = {"not spelt alike": 30.0, "all": 40.0}
    rows = page(atlas).xpath("//section[@id='averages']//tbody/tr")
    assert [[text(cell) for cell in row] for row in rows] == [
        ["novels11 pairs, 9 languages", "20.2", "20.2", "20.2", "20.2+2.1 [0.3, 3.9]", "–", "−0.5 [−2.0, 1.0]"],
        ["with Uralic3 pairs, 3 languages", "4.5", "4.5", "4.5", "4.5", "16.6", "–"],
    ]  # fmt: skip


def test_statements_have_verdicts_and_the_pairs_that_bear_them_out() -> None:
    (row,) = page(complete()).xpath("//section[@id='statements']//tbody/tr")
    assert [text(cell) for cell in row] == [
        "Joint training is <b>low</b>.words not spelt alike", "holdssaid of every pair",
        "joint − ¼ rcsls −0.5 [−2.0, 1.0], 45 of 46 pairs",
    ]  # fmt: skip


def test_few_pairs_say_so_and_draw_no_curves() -> None:
    found = page(small())
    assert "too few pairs to say what decides" in text(found.get_element_by_id("decides"))
    assert "too few pairs to judge" in text(found.get_element_by_id("prediction"))
    assert "curves" not in [each.get("id") for each in found.iter()]
    assert rows(page(small() | {"pairs": []})) == []


def test_curves_are_grouped_though_texts_differ_a_little() -> None:
    by_text, by_dictionary = panels(complete()["curves"])["en-hu"]
    assert [by_text["along"], by_text["level"], by_dictionary["level"]] == ["words", 500, 1_000_000]
    lines = by_dictionary["views"][0][
        "lines"
    ]  # 3 without a dictionary and 5 with one; a line needs no other point
    assert len(lines["both"]) == 2
    assert len(lines["joint then mapped"]) == 1
    (_, low, *_), (_, high, *_) = lines["both"]
    assert low > high  # SVG counts downwards


def test_a_bitext_curve_begins_with_the_pair_without_a_dictionary() -> None:
    both = [
        condition({"aligned": 4.0, "both": 9.0}),
        condition({"aligned": 0.5, "both": 3.0}, supervision="none"),
    ]
    curve = {"of": "fi_a-hu_b", "words": 98_000, "dictionary": 400}
    cards = [card("fi", "hu", both, curve=curve)]
    cards += [card("fi", "hu", both, dictionary=f"b{n}", curve=curve | {"bitext": n}) for n in (90, 900)]
    assert panels(cards[:1]) == {}
    (drawn,) = panels(cards)["fi_a-hu_b"]
    assert drawn["along"] == "bitext"
    lines, labels = drawn["views"][0]["lines"], [label for _, label in drawn["views"][0]["x"]]
    assert labels == ["0", "90", "900"]
    assert [len(lines[kind]) for kind in ("aligned", "joint", "both")] == [3, 0, 3]
    assert lines["both"][0][1] > lines["both"][1][1] == lines["both"][2][1]  # 3 % stands below 9 %


def test_places_on_the_map_are_those_of_the_numbers() -> None:
    drawn = scatter(pair_rows(small()))
    x = {name: place for name, (place, _) in drawn["points"].items()}
    # 98,000 to 300,000 words is as far as 300,000 to 918,367.
    assert x["fi-hu"] < x["ru-tr"] < x["en-hu-novels"]
    share = (x["ru-tr"] - x["fi-hu"]) / (x["en-hu-novels"] - x["fi-hu"])
    assert share == pytest.approx(0.3710, abs=2e-3)  # log(300/98) / log(2000/98)
    assert [label for _, label in drawn["x"]] == ["100,000", "200,000", "500,000", "1 million", "2 million"]


@pytest.mark.parametrize(
    ("most", "ticks"), [(1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (30, [0, 10, 20, 30]), (0, [0]), (0.07, None)]
)
def test_steps_are_round_and_reach_the_largest(most: float, ticks: list[float] | None) -> None:
    found = steps(most)
    assert found == ticks if ticks else found[-1] >= most
    assert len(found) <= 6


TEXTS = (
    "Finnish", "Uralic", "Finnic", "Latin", "help pages", "novels", "fi", "panlex", "make atlas TARGETS=fi_a-hu_b",
    "rcsls", "log10 text words", "same script", "too few", "always both", "both languages of a pair", "a-b",
)  # fmt: skip


def replaced(value: Any, payload: str) -> Any:
    """Return the value with `payload` after each of TEXTS, be it a key or a value."""
    if isinstance(value, dict):
        return {replaced(name, payload): replaced(one, payload) for name, one in value.items()}
    if isinstance(value, list):
        return [replaced(one, payload) for one in value]
    return value + payload if value in TEXTS else value


@pytest.mark.parametrize("payload", PAYLOADS)
def test_text_of_the_data_never_becomes_html(payload: str) -> None:
    atlas = complete()
    for point in atlas["curves"]:
        point["curve"]["of"] = "a-b"  # no pair of the atlas
    made, harmless = page(replaced(atlas, payload)), page(atlas)
    assert [each.tag for each in made.iter()] == [each.tag for each in harmless.iter()]
    assert not [
        name for each in made.iter() for name in each.attrib if name.startswith("on") or name == "style"
    ]
    told = " ".join(made.itertext())
    assert [one for one in TEXTS if f"{one}{payload}" not in told] == ["fi"]
    assert rows(made)[2].find("tr/th/a").get("href") == "#fi" + quote(payload) + "-hu"


def test_only_its_own_script_and_style_run() -> None:
    made = page(complete())
    (policy,) = made.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none';")
    for tag in ("script", "style"):
        (own,) = made.xpath(f"//{tag}")
        assert f"{tag}-src 'sha256-{b64encode(sha256(own.text.encode()).digest()).decode()}';" in policy
    assert not re.search(r"(?:src|href)=\"(?!#|data:)", render(complete()))


def test_what_a_card_lacks_is_left_out_and_links_stay_apart() -> None:
    one = card("fi", "hu", [condition({"aligned": 1.0, "joint": 9.0})], scores={"all": {"rcsls": {}}})
    del one["reference"], one["minutes"]
    found = rows(page(small() | {"pairs": [one] * 4}))
    assert [each.get("id") for each in found] == ["fi-hu", "fi-hu-help-pages", "fi-hu-2", "fi-hu-3"]
    assert "minutes" not in text(found[0])
    assert found[0].findall("tr[2]//tbody/tr") == []


def test_a_language_without_facts_has_its_code_for_a_name() -> None:
    values = {"aligned": 1.0, "joint": 9.0}
    found = page(small() | {"pairs": [card("xx", "hu", [condition(values)])]})
    assert text(rows(found)[0].find("tr/th")) == "xx–Hungarian, help pages"


def test_the_page_says_the_same_of_an_atlas_that_was_written_and_read() -> None:
    assert render(json.loads(json.dumps(complete()))) == render(complete())


@pytest.mark.parametrize(("more", "told"), [
    ({"seeds": 7, "words": 1200}, "A lead of this size would be decided by 7 seeds or 1,200 test words."),
    ({"seeds": 7}, "A lead of this size would be decided by 7 seeds."),
    ({"words": 1200}, "A lead of this size would be decided by 1,200 test words."),
    ({"times": 30}, "A lead of this size would be decided by 30 times as many seeds and test words."),
    ({}, "Ten times as many seeds or test words would not decide it."),
])  # fmt: skip
def test_an_undecided_pair_says_what_would_decide_it(more: dict[str, int], told: str) -> None:
    even = condition(dict.fromkeys(KINDS, 10.0)) | {"would_decide": more}
    sure = condition({kind: 10.0 + 9 * place for place, kind in enumerate(KINDS)}) | {"would_decide": {}}
    atlas = small() | {"pairs": [card("fi", "hu", [even]), card("en", "hu", [sure])]}
    assert " ".join(render(atlas).split()).count(told) == 1


def test_strategies_that_are_level_are_named_and_nothing_more_is_asked_for() -> None:
    level = condition(dict.fromkeys(KINDS, 10.0)) | {"would_decide": {}}
    level["level"] = [each["over"] for each in level["comparisons"]]
    told = " ".join(render(small() | {"pairs": [card("fi", "hu", [level])]}).split())
    assert "Level with “aligned”, within 2 points: “joint”, “joint then mapped”, “both”." in told
    assert "would not decide" not in told
