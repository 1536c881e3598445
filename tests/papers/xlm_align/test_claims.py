"""xlm_align's claims judged on made-up error rates."""

from pathlib import Path

import numpy as np
import pytest

from crosslingua.cells import Cell
from crosslingua.claims.statements import read_claims
from crosslingua.claims.verdict import Judgement, judge_all
from crosslingua.io.json import write_json
from crosslingua.papers.xlm_align.claims import (
    MEASURES,
    alignment_error,
    alignment_error_by_layer,
    evidence,
    reduction,
)

# Links found right of the 10 sure ones a sentence: the more, the lower the error.
RIGHT = {
    "fast_align": 4, "simalign_argmax+xlmr": 5, "simalign_itermax+xlmr": 6, "optimal_transport+xlmr": 7,
    "simalign_itermax+xlm_align": 6, "optimal_transport+xlm_align": 9,
}  # fmt: skip
LAYERS = {  # figure 2; the layer of table 2 is 2
    "optimal_transport+xlmr": {1: 3, 2: 7, 3: 6, 4: 4}, "optimal_transport+xlm_align": {1: 4, 2: 9, 3: 9, 4: 8}
}  # fmt: skip
PAIRS, SEEDS = ("de-en", "en-fr"), (1, 2, 3, 4)


def cell(
    path: Path, counts, system: str, seed: int = 1, pair: str = "de-en", table="table2", **conditions
) -> Cell:
    write_json(path, {"per_pair": counts})
    source, target = pair.split("-")
    return Cell("xlm_align", table, system, "word_alignment", source, target, seed, str(path), ("aer",), "0f",
                conditions=conditions)  # fmt: skip


def counts_of(right: int, rng: np.random.Generator) -> list[list[int]]:
    hits = np.clip(right + rng.integers(-1, 2, 60), 0, 10)
    return np.stack([np.full(60, 10), np.full(60, 10), hits, hits], axis=1).tolist()


def results(folder: Path, right=RIGHT, layers=LAYERS) -> list[Cell]:
    """The cells of table 2 and figure 2."""
    rng, found = np.random.default_rng(1), []

    def add(system: str, of: int, pair: str, seed: int, table: str, **conditions: str) -> None:
        path = folder / f"{len(found)}.json"
        found.append(cell(path, counts_of(of, rng), system, seed, pair, table, **conditions))

    for pair in PAIRS:
        for system, of in right.items():
            if system == "fast_align":
                add(system, of, pair, 1, "table2", reads="text")
                continue
            for seed in SEEDS:
                add(system, of, pair, seed, "table2", layer="2")
        for system, drawn in layers.items():
            for seed in SEEDS:
                for layer, of in drawn.items():
                    add(system, of, pair, seed, "fig2", layer=str(layer))
    return found


def verdicts(cells: list[Cell], repository: Path) -> dict[str, str]:
    """The verdict of each claim that was judged."""
    schema = repository / "schemas/claims.schema.yaml"
    claims = read_claims(repository / "reference/xlm_align_claims.yaml", schema, MEASURES)
    judged = [one for one in judge_all(claims, evidence(cells, {})) if isinstance(one, Judgement)]
    return {one.claim.claim: one.verdict for one in judged}


def test_verdicts_follow_the_error_rates(tmp_path: Path, repository: Path) -> None:
    assert verdicts(results(tmp_path), repository) == {
        "optimal_transport_outperforms_fast_align": "reproduced",
        "optimal_transport_outperforms_simalign": "reproduced",
        "optimal_transport_outperforms_simalign_argmax": "reproduced",
        "xlm_align_aligns_better_than_xlmr": "inconclusive",  # SimAlign: no difference
        "xlm_align_with_optimal_transport_is_best": "reproduced",
        "middle_layers_align_best": "reproduced",
        "xlm_align_better_in_every_layer": "reproduced",
        "xlm_align_reduces_the_last_layers_most": "reproduced",
    }


def test_one_better_system_or_one_worse_layer_contradicts(tmp_path: Path, repository: Path) -> None:
    better = RIGHT | {"simalign_argmax+xlm_align": 10}
    worse = LAYERS | {"optimal_transport+xlm_align": {1: 8, 2: 9, 3: 4, 4: 4}}
    found = verdicts(results(tmp_path, better, worse), repository)
    assert found["xlm_align_with_optimal_transport_is_best"] == "contradicted"
    assert found["xlm_align_better_in_every_layer"] == "contradicted"
    assert found["xlm_align_reduces_the_last_layers_most"] == "contradicted"


def test_layers_of_figure_2_are_named_by_their_place(tmp_path: Path) -> None:
    drawn = [cell(tmp_path / f"{n}.json", [[1, 1, 1, 1]], "ot+xlmr", table="fig2", layer=n) for n in "1248"]
    table = cell(tmp_path / "t.json", [[1, 1, 1, 1]], "ot+xlmr", layer="2")
    assert alignment_error(drawn).systems() == {"ot+xlmr@first", "ot+xlmr@last"}
    assert alignment_error([*drawn, table]).systems() == {
        "ot+xlmr", "ot+xlmr@first", "ot+xlmr@middle", "ot+xlmr@last",
    }  # fmt: skip
    assert alignment_error([*drawn[:3], table]).systems() == {"ot+xlmr", "ot+xlmr@first", "ot+xlmr@last"}


def test_language_pairs_weigh_alike_in_a_layer(tmp_path: Path) -> None:
    """AER 50% of one pair of sentences, and 0% of three: 25% in the mean over language pairs."""
    cells = [
        cell(tmp_path / "a.json", [[2, 2, 1, 1]], "ot+xlmr", 1, "de-en", "fig2", layer="1"),
        cell(tmp_path / "b.json", [[2, 2, 2, 2]] * 3, "ot+xlmr", 1, "en-fr", "fig2", layer="1"),
        cell(tmp_path / "c.json", [[2, 2, 2, 2]], "ot+xlmr", 1, "en-fr", "fig2", layer="0"),
    ]
    found = alignment_error_by_layer(cells)
    assert set(found.values) == {"layer 1"}
    assert np.mean(list(found.values["layer 1"]["ot+xlmr"][1].values())) == pytest.approx(25)


def test_reduction_is_what_xlm_align_takes_off_by_hand(tmp_path: Path) -> None:
    """Layers 1 to 3, AER of XLM-R 50, 50, 100 and of XLM-Align 50, 0, 0: off the last 100, off the others 25."""
    right = {"optimal_transport+xlmr": (1, 1, 0), "optimal_transport+xlm_align": (1, 2, 2)}
    cells = [
        cell(tmp_path / f"{system}{n}.json", [[2, 2, hits, hits]], system, table="fig2", layer=str(n))
        for system, layers in right.items()
        for n, hits in enumerate(layers, 1)
    ]
    found = reduction(alignment_error_by_layer(cells)).values["figure 2"]
    assert {name: list(seeds[1].values()) for name, seeds in found.items()} == {
        "last_layers": [pytest.approx(100)], "earlier_layers": [pytest.approx(25)],
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
