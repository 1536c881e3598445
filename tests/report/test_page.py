import json
import re
from base64 import b64decode
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from crosslingua.io.json import write_json
from crosslingua.metrics import write_rows
from crosslingua.report.page import REAL, WORLD, _as_script, headline, origin, said, settled_by, write_page
from crosslingua.report.page.statements import committed, counted, failed, in_words, turned
from metric_rows import frame
from programs import SCRIPTS, run_script
from result_pages import CLAIM, LEFT_OUT, PAPERS, answer


def page(results: Path, reference: Path | None = None, **more: object) -> str:
    write_page(results / "report.html", results, PAPERS, results / "config.yaml", reference, **more)
    return (results / "report.html").read_text()


def charts_of(text: str) -> dict:
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1]
    return json.loads(data)["charts"]


def judge(results: Path, *claims: dict, left_out: tuple = (), name: str = "claims") -> None:
    write_json(results / f"{name}.json", {"method": "Tested so.", "judged": claims, "left_out": left_out})


def test_the_answer_is_said_with_its_interval() -> None:
    (part,) = said(answer())
    assert part["title"] == "With a dictionary, words of any spelling"
    assert part["text"] == (
        "“Both” is ahead in 1 of 1 language pairs (mean P@1: both 30.0, aligned 20.0)."
        " Not run: joint, joint then mapped."
    )
    assert part["pairs"] == [
        "ana-ber: both (joint_align_rcsls, 30.0) is ahead: +10.0 [1.5, 30.0] over aligned (rcsls); 3 seeds, 400 words."
    ]
    (unsure,) = said(answer(-0.5))
    assert "is ahead in 0 of 1 language pairs, and leads without certainty in 1 (mean" in unsure["text"]
    assert "(joint_align_rcsls, 30.0) leads without certainty: +10.0" in unsure["pairs"][0]
    assert headline(answer()) == (
        "“Both” has the highest mean precision in every condition that was run, and is ahead in 1 of 1 language pairs"
        " and conditions."
    )


def test_committed_results_stand_beside_those_of_the_run(results: Path, tmp_path: Path) -> None:
    reference = tmp_path / "reference"
    for scale, verdict in (("tiny", "inconclusive"), ("full", "reproduced")):
        (reference / scale).mkdir(parents=True)
        header = "claim,verdict,effect,ci_low,ci_high\n"
        (reference / scale / "claims.csv").write_text(f"{header}joint_low,{verdict},-1.5,-2.5,-0.5\n")
    write_json(reference / "full/answer.json", answer())
    assert [each.scale for each in committed(reference, but="tiny")] == ["full"]
    judge(results, CLAIM)
    text = page(results, reference)
    assert "Scale full, committed results" in text
    effect = '<br><span class="note">-1.5 [-2.5, -0.50]</span>'
    said = '<span class="verdict reproduced">holds in the generated world</span>'
    assert f"{said}{effect}" in text
    assert {"answer_full_0", "forest"} <= charts_of(text).keys()


def test_the_page_shows_what_there_is_and_asks_for_nothing_from_the_network(results: Path) -> None:
    text = page(results)
    assert not re.search(r'(src|href)="(https?:)?//', text)
    parts = (
        "tiny", "seeds 1, 2", WORLD, "Joint or not", "table one", "table two",
        'id="joint_align_b"', "Of b.", 'id="joint_align_a"', "Of a &amp; c.", 'id="joint_align_a_second"',
        "<b>more</b>", "# kept as it is",
    )  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert 'id="align_mlm"' not in text
    assert not any(f'id="{part}"' in text for part in ("answer", "statements", "words"))


def test_a_page_of_a_run_at_work_shows_what_is_done_and_names_the_rest(results: Path) -> None:
    """An earlier run left the claims of all papers, the first paper's other part and the second paper."""
    old, new = CLAIM | {"statement": "Of an earlier run."}, CLAIM | {"statement": "Of this run."}
    for name, claim in (("claims", old), ("claims/joint_align", old), ("claims/joint_align.main", new)):
        judge(results, claim, name=name)
    (results / "rows").mkdir()
    write_rows(results / "rows/joint_align.main.csv", frame({"seed": 7}))
    write_rows(results / "rows/joint_align.ner.csv", frame({"seed": 9, "table": "table3"}))
    parts = ["joint_align.main", "joint_align", "align_mlm"]
    later = {"joint_align": ["table1", "fig2"], "align_mlm": ["table3"]}
    tables = {"tables": ["table2"], "figures": ["b"]}
    write_json(results / "wanted.json", {"parts": parts, "later": later})
    licensed = dict.fromkeys(("name", "title", "licence", "homepage"), "x") | {"citation": "Other 2020"}
    write_json(results / "shown.json", {"joint_align.main": tables, "data": [licensed]})
    options = {"results": results, "config": results / "config.yaml", "shown": results / "shown.json"}
    words = [word for name, path in options.items() for word in (f"--{name}", path)]
    run = ("--papers", "joint_align", "align_mlm", "--at-work", results / "wanted.json", "joint_align.main")
    assert run_script(SCRIPTS / "write_page.py", *words, *run, "--out", results / "report.html").status == 0
    text = (results / "report.html").read_text()
    later = "Still to come: joint_align (table1, fig2), align_mlm."
    assert all(word in text for word in ("Other 2020</td>", later, "Of this run.", "seeds 7;", "table two"))
    assert not any(word in text for word in ("table one", "Of an earlier run.", 'id="joint_align_a"'))


def test_pictures_keep_their_colours(results: Path) -> None:
    parts = re.findall(r'<figure id="(\w+)">\s*<img [^>]*base64,([^"]+)"', page(results))
    pictures = {name: Image.open(BytesIO(b64decode(png))) for name, png in parts}
    pixels = {name: picture.convert("RGB").getpixel((0, 0)) for name, picture in pictures.items()}
    assert (pixels["joint_align_a"], pixels["joint_align_b"]) == ((0, 0, 255), (255, 255, 255))


def test_figures_of_an_earlier_configuration_are_left_out(results: Path) -> None:
    paper = replace(PAPERS[0], tables=("table2",), figures=("a_second", "b"))
    write_page(results / "report.html", results, [paper], results / "config.yaml")
    text = (results / "report.html").read_text()
    shown = ("table one", 'id="joint_align_a"', 'id="joint_align_a_second"')
    assert [part in text for part in shown] == [False, False, True]


def test_claims_stand_with_their_paper(results: Path) -> None:
    judge(results, CLAIM, left_out=(LEFT_OUT,))
    text = page(results)
    for part in (
        'class="verdict contradicted">1</td>', "not run: duong", "<td>± 3.0</td>",
        'id="claim_joint_low" data-paper="joint_align" data-verdict="contradicted"',
        "joint_ar - joint, mean: 15.0 [0.12, 18.0]; fails (level 97.5 %)",
        '<td title="generated text, 3 seeds">B</td>', "experiment: A, real text",
        "An effect 3.0 from the edge would be told",
    ):  # fmt: skip
        assert part in text
    datasets = charts_of(text)["forest"]["datasets"]
    (record,) = [row for rows in datasets.values() for row in rows if "statement" in row]
    assert [record[name] for name in ("at", "from", "to")] == [-15, -18, -12]  # of what is true below 0


def test_what_would_settle_a_claim() -> None:
    assert "900 test items would settle it, if the effect is what it seems; more" in settled_by(None, 900)
    assert "7 seeds would settle it, if the effect is what it seems." in settled_by(7, None)
    assert settled_by(None, None) == ""


def test_an_inconclusive_claim_says_why_and_what_would_settle_it(results: Path) -> None:
    finding = CLAIM["comparisons"][0] | {"low": None, "high": None, "outcome": "open"}
    claim = CLAIM | {"verdict": "inconclusive", "ci_low": None, "ci_high": None, "comparisons": [finding]}
    claim |= {"reason": "one seed; a verdict needs 3", "mde": None, "settle_seeds": 4, "settle_items": 900}
    judge(results, claim)
    text = page(results)
    assert "Open: one seed; a verdict needs 3. 4 seeds or 900 test items would settle it, if" in text
    assert '<td>–<br><span class="note">4 seeds would settle it</span></td>' in text
    assert "joint_ar - joint, mean: 15.0; open</p>" in text
    assert "An effect" not in text
    assert "Analysis" not in text
    judge(results, claim | {"looks": 2})
    assert "Analysis 2 of those that were planned" in page(results)


def test_verdicts_are_said_with_their_number_of_comparisons_and_failures(results: Path) -> None:
    several = CLAIM | {"verdict": "mixed", "holds": 14, "fails": 3, "open": 1}
    muse = {"failed": 4, "runs": 5, "low": 28.4, "high": 99.5}
    several |= {"failures": {"muse": muse, "vecmap": muse | {"failed": 0}}, "not_compared": ["bert does not"]}
    small = CLAIM | {
        "claim": "small",
        "verdict": "too_small",
        "settle_seeds": 113_000,
        "reason": "It is small",
    }
    judge(results, several, small)
    text = page(results)
    for part in (
        '<span class="verdict mixed">mixed</span><br><span class="note">14 of 18 comparisons hold</span>',
        '<span class="note">muse: 4 of 5 runs failed (28 to 100 %)</span>', "Not compared: bert does not.",
        'too small to test</span><br><span class="note">a test takes 113000 seeds</span>',
        "<th>mixed</th><th>too small to test</th><th>not tested</th>", '<option value="too_small">too small to test',
    ):  # fmt: skip
        assert part in text
    assert "would settle it" not in text
    assert "vecmap: " not in text
    assert failed(CLAIM) == []
    assert counted(CLAIM | {"size": "relevant"}) == ""  # of one comparison the verdict says it
    assert counted(CLAIM | {"verdict": "reproduced", "size": "relevant"}) == "by a relevant amount"


def test_only_generated_text_has_a_world_in_which_a_statement_holds() -> None:
    assert [in_words("reproduced", generated) for generated in (True, False)] == [
        "holds in the generated world",
        "holds",
    ]
    assert in_words("contradicted", generated=True) == "contradicted"


def test_verdicts_on_real_text_stand_beside_and_those_that_turn_round_are_named(results: Path) -> None:
    """The file is of an older judge, without the newer columns."""
    folder, names = results / "reference", ("turns", "stays", "open_there", "mixed_here")
    verdicts = ("reproduced", "contradicted", "inconclusive", "reproduced")
    lines = [f"{name},{verdict},-1.5,-2.5,-0.5,3" for name, verdict in zip(names, verdicts, strict=True)]
    (folder / "real").mkdir(parents=True)
    (folder / "real" / "claims.csv").write_text(
        "\n".join(["claim,verdict,effect,ci_low,ci_high,n_seeds", *lines, ""])
    )
    here = ("contradicted", "contradicted", "reproduced", "mixed")
    claims = [CLAIM | {"claim": name, "verdict": said} for name, said in zip(names, here, strict=True)]
    judge(results, *claims)
    text = page(results, reference=folder)
    assert "<th>real</th>" in text
    assert '<span class="verdict reproduced">holds</span>' in text
    assert "2 of these statements are decided on real text too. 1 of them turns round there: " in text
    assert '<a href="#claim_turns">turns</a>.' in text
    (known,) = committed(folder, "tiny")
    assert turned(claims[1:], [known]) == (1, [])
    assert turned(claims[2:], [known]) is None
    (results / "config.yaml").write_text("scale: real\nworld: null\n")
    assert page(results, reference=folder).count("<th>real</th>") == 1  # its own


def test_a_page_of_verdicts_alone_says_what_they_are(results: Path) -> None:
    """Committed results may have no rows, and of claims the table."""
    (results / "metrics.csv").unlink()
    row = "joint_low,joint_align,Joint is low.,reproduced,-1.5,-2.5,-0.5,3"
    (results / "claims.csv").write_text(
        f"claim,paper,statement,verdict,effect,ci_low,ci_high,n_seeds\n{row}\n"
    )
    text = page(results, remark="Drawn from committed results.")
    assert "Drawn from committed results." in text
    assert 'id="claim_joint_low" data-paper="joint_align" data-verdict="reproduced"' in text
    assert "metrics.csv" not in text


def test_where_the_text_comes_from() -> None:
    own, world = {"languages": {"sw": {"path": "s.txt"}}}, {"world": {"seed": 1}}
    assert origin({"world": None}) == origin(own) == REAL
    assert origin(world | {"data": {"sheets": []}, "languages": {}}) == WORLD
    for other in (own, {"data": {"sheets": ["a.tsv"]}}):
        assert origin(world | other) == f"{WORLD} Other text is real."


@pytest.mark.parametrize(
    "payload", ["</SCRIPT><svg/onload=alert(1)>", "</script >", "<!-- <script>", "<ScRiPt>"]
)
def test_words_of_a_corpus_end_no_script_and_begin_no_comment(results: Path, payload: str) -> None:
    judge(results, CLAIM | {"claim": payload})
    text = page(results)
    assert payload not in text
    assert payload in json.dumps(charts_of(text), ensure_ascii=False)  # the chart names the claim as it is


def test_a_bundles_own_tags_end_no_script_in_any_case() -> None:
    text = r"a='<\/script>'+'<\/SCRIPT>'+'<\!--'"
    assert text in _as_script("a='</script>'+'</SCRIPT>'+'<!--'")


def test_a_bundle_exports_its_default_into_the_window() -> None:
    made = _as_script("var x=1;export{y as z,$a as default,b as c};// end", "Tables")
    assert made == '(() => {"use strict";\nvar x=1;window.Tables=$a;// end\n})();'
    with pytest.raises(ValueError, match="0 default exports"):
        _as_script("export{a as b}", "Tables")
