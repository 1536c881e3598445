"""xlm_align's claims judged on made-up error rates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crosslingua.cells import Cell
from crosslingua.claims.statements import read_claims
from crosslingua.claims.verdict import Judgement, judge_all
from crosslingua.io.json import write_json
from crosslingua.papers.xlm_align.claims import alignment_error, evidence

# Links found right of the 10 sure ones a sentence: the more, the lower the error.
RIGHT = {
    "fast_align": 4, "simalign_argmax+xlmr": 5, "simalign_itermax+xlmr": 6, "optimal_transport+xlmr": 7,
    "simalign_itermax+xlm_align": 6, "optimal_transport+xlm_align": 9, "optimal_transport+xlmr@first": 3,
    "optimal_transport+xlmr@middle": 7, "optimal_transport+xlmr@last": 7,
}  # fmt: skip
PAIRS, SEEDS = ("de-en", "en-fr"), (1, 2, 3, 4)


def cell(
    path: Path, counts, system: str, seed: int = 1, pair: str = "de-en", table="table2", **conditions
) -> Cell:
    write_json(path, {"per_pair": counts})
    source, target = pair.split("-")
    return Cell("xlm_align", table, system, "word_alignment", source, target, seed, str(path), ("aer",), "0f",
                conditions=conditions)  # fmt: skip


def conditions_of(place: str) -> dict[str, str]:
    """The layer of each place among layers 1 to 12, of which table 2 has 8."""
    return {"layer": {"first": "1", "last": "12"}.get(place, "8")}


@pytest.fixture
def cells(tmp_path: Path) -> list[Cell]:
    rng = np.random.default_rng(1)
    found = []
    for pair in PAIRS:
        for name, right in RIGHT.items():
            system, _, place = name.partition("@")
            text = system == "fast_align"
            conditions = {"reads": "text"} if text else conditions_of(place)
            for seed in (1,) if text else SEEDS:
                hits = np.clip(right + rng.integers(-1, 2, 60), 0, 10)
                counts = np.stack([np.full(60, 10), np.full(60, 10), hits, hits], axis=1).tolist()
                path, table = tmp_path / f"{len(found)}.json", "fig2" if place else "table2"
                found.append(cell(path, counts, system, seed, pair, table, **conditions))
    return found


def test_verdicts_follow_the_error_rates(cells: list[Cell], repository: Path) -> None:
    schema = repository / "schemas/claims.schema.yaml"
    claims = read_claims(repository / "reference/xlm_align_claims.yaml", schema)
    claims = [claim for claim in claims if claim.measure == "alignment_error"]
    results = judge_all(claims, evidence(cells, {}))
    judged = {result.claim.claim: result for result in results if isinstance(result, Judgement)}
    assert {name: result.verdict for name, result in judged.items()} == {
        "optimal_transport_outperforms_fast_align": "reproduced",
        "optimal_transport_outperforms_simalign": "reproduced",
        "optimal_transport_outperforms_simalign_argmax": "reproduced",
        "xlm_align_aligns_better_than_xlmr": "inconclusive",  # SimAlign: no difference
        "xlm_align_with_optimal_transport_is_best": "reproduced",
        "middle_layers_align_best": "inconclusive",  # no better than the last
    }
    argmax = judged["optimal_transport_outperforms_simalign_argmax"]
    assert argmax.decisive.spread.effect == pytest.approx(-20, abs=2)
    assert {result.seeds for result in judged.values()} == {SEEDS}
    assert [result.claim.claim for result in results if not isinstance(result, Judgement)] == [
        "xlm_align_better_in_every_layer"
    ]


def test_layers_of_figure_2_are_named_by_their_place(tmp_path: Path) -> None:
    drawn = [cell(tmp_path / f"{n}.json", [[1, 1, 1, 1]], "ot+xlmr", table="fig2", layer=n) for n in "128"]
    table = cell(tmp_path / "t.json", [[1, 1, 1, 1]], "ot+xlmr", layer="1")
    assert alignment_error(drawn).systems() == {"ot+xlmr@first", "ot+xlmr@last"}
    assert alignment_error([*drawn, table]).systems() == {
        "ot+xlmr", "ot+xlmr@first", "ot+xlmr@middle", "ot+xlmr@last",
    }  # fmt: skip


def test_alignment_error_of_pairs_has_the_mean_of_the_ratio(tmp_path: Path) -> None:
    one = cell(tmp_path / "a.json", [[2, 2, 1, 1], [3, 3, 3, 3], [4, 8, 0, 2]], "ot+xlmr", 2)
    values = list(alignment_error([one]).values["de-en"]["ot+xlmr"][2].values())
    assert np.mean(values) == pytest.approx(100 * (1 - (4 + 6) / (9 + 13)))


def test_a_deterministic_aligner_counts_in_every_seed(tmp_path: Path) -> None:
    counts = [[2, 2, 1, 1], [3, 3, 3, 3]]
    cells = [cell(tmp_path / f"{seed}.json", counts, "ot+xlmr", seed, layer="8") for seed in (1, 2)]
    found = alignment_error([*cells, cell(tmp_path / "f.json", counts, "fast_align", 7, reads="text")])
    assert found.seeds(["fast_align", "ot+xlmr"]) == [1, 2]
    assert np.allclose(found.grid("de-en", "ot+xlmr", "fast_align", [1, 2]).values, 0)
