"""laser_taggers' claims judged on made-up scores: all hold, a system is withheld, or a map failed."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from crosslingua.cells import Cell
from crosslingua.claims.verdict import judge
from crosslingua.io.json import read_json, write_json
from crosslingua.papers.laser_taggers.claims import evidence
from judged import Files, claims_of, judged, verdicts

SEEDS, SENTENCES = tuple(range(1, 9)), 40
# (source_score, zero-shot NER, zero-shot POS, distant, monolingual, scenario A, gain) as the paper states them
PAPER = {
    "bpe_bow": (51, 17, 20, 5, 40, 20, 1), "bpe_gru": (74, 22, 25, 4, 68, 52, 1), "muse": (70, 36, 38, 30, 60, 50, 1),
    "laser_top": (80, 62, 80, 50, 78, 70, 5), "laser_elmo": (78, 55, 60, 20, 75, 60, 2),
    "lstm_no_pretraining": (75, 20, 22, 5, 62, 55, 1), "bert": (91, 80, 70, 60, 83, 80, 1),
    "xlm": (89, 50, 55, 20, 80, 78, 3),
}  # fmt: skip
PAPER |= {f"{name}_laser_recipe": PAPER[name] for name in ("bpe_bow", "bpe_gru", "muse")}
MEASURES = ("source", "ner", "pos", "distant", "monolingual", "scenario_a", "gain")


class Maker(Files):
    """Writes files of scores around means, and the cells that name them."""

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.rng, self.cells = np.random.default_rng(1), []

    def score(self, mean: float, key: str = "per_sentence") -> str:
        values = mean + self.rng.normal(0, 3, SENTENCES)
        values += mean - values.mean() + self.rng.normal(0, 0.3)
        metric = {"per_sentence": "f1", "accuracy_per_sentence": "accuracy"}[key]
        return self.write({key: values.tolist(), metric: float(values.mean())})

    def add(self, system: str, seed: int, task: str, target: str, metric: str, mean: float, **more) -> None:
        key = {"ner": "f1", "pos": "accuracy"}[task]
        item = {"f1": "per_sentence", "accuracy": "accuracy_per_sentence"}[key]
        less = {"less": self.score(50, item)} if metric == "gain" else {}
        place = (system, task, "en", target, seed, self.score(mean + (50 if less else 0), item))
        self.cells.append(Cell("laser_taggers", "table2", *place, (f"{metric}={key}",), "0f", **less, **more))

    def compare(self, system: str, seed: int, task: str, target: str, p: float, counts: Mapping) -> None:
        place = (system, task, "en", target, seed, self.write({"p_value": p, **counts}))
        against = {"against": "laser_top"}
        self.cells.append(Cell("laser_taggers", "table2", *place, ("p_value",), "0f", conditions=against))


def counts(found: int) -> dict:
    """Of 10 words in entities a sentence `found` are detected, and of 2 ambiguous ones a fifth of that."""
    return {"detection": [[found, 10, 10]] * SENTENCES, "ambiguous": [[found / 5, 2]] * SENTENCES}


def cells_of(folder: Path) -> list[Cell]:
    """Cells of two tasks and languages, and of two distant ones.

    Of these Hungarian is nearer; in both XLM gains less by joint training.
    """
    folder.mkdir()
    make = Maker(folder)
    for system, values in PAPER.items():
        own = dict(zip(MEASURES, values, strict=True))
        for seed in SEEDS:
            for task in ("ner", "pos"):
                make.add(system, seed, task, "en", "source", own["source"])
                means = {"zero_shot": own[task]} | {
                    name: own[name] for name in ("monolingual", "scenario_a", "gain")
                }
                for target in ("de", "nl"):
                    for metric, mean in means.items():
                        make.add(system, seed, task, target, metric, mean)
                    if system != "laser_top":
                        both = {"first": counts(4), "second": counts(8)}
                        make.compare(system, seed, task, target, 0.001, both if task == "ner" else {})
            far = {"conditions": {"distant": "yes"}}
            for target, more in (("hu", 3), ("eu", -3)):
                make.add(system, seed, "ner", target, "zero_shot", own["distant"] + more, **far)
                make.add(
                    system, seed, "ner", target, "gain", own["gain"] - (3.5 if system == "xlm" else 0), **far
                )
    return make.cells


def taggers_of(folder: Path) -> Path:
    """Write reports of taggers with these scores on the sentences of training, and one that has none."""
    rng = np.random.default_rng(2)
    for system, mean in (("laser_top", 90), ("laser_elmo", 98), ("bpe_gru", None)):
        for task in ("ner", "pos"):
            for seed in SEEDS:
                path = folder / system / f"zero_shot.{task}" / f"seed{seed}" / "training.json"
                path.parent.mkdir(parents=True)
                values = {"training_per_sentence": rng.normal(mean, 1, SENTENCES).tolist()} if mean else {}
                write_json(path, {"task": task, "seed": seed, **values})
    return folder


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Cell]:
    """Cells whose files no test changes."""
    return cells_of(tmp_path_factory.mktemp("cells") / "x")


def test_all_are_reproduced_where_scores_are_as_the_paper_states(cells: list[Cell], tmp_path: Path) -> None:
    found = verdicts("laser_taggers", evidence(cells, {"taggers": [taggers_of(tmp_path)]}))
    assert found == dict.fromkeys(claims_of("laser_taggers"), "reproduced")


def test_who_does_not_beat_a_control_in_the_language_of_training_is_compared_nowhere(
    cells: list[Cell], tmp_path: Path
) -> None:
    """LASER-elmo has 78 there, BERT 91; random vectors have 78 as well, and the most frequent tag 5."""
    make = Maker(tmp_path)
    for seed in SEEDS:
        make.add("random", seed, "ner", "en", "source", 78)
        make.add("majority", seed, "ner", "en", "source", 5)
    found = evidence(cells + make.cells, {"taggers": [taggers_of(tmp_path / "y")]})
    lost = {"bpe_bow": 51, "bpe_gru": 74, "muse": 70, "laser_elmo": 78, "lstm_no_pretraining": 75}
    lost |= {f"{name}_laser_recipe": 0 for name in ("bpe_bow", "bpe_gru", "muse")}
    for measure in ("source_score", "zero_shot", "distant", "drop", "joint", "joint_gain", "highest"):
        one = found[measure, "all"]
        assert one.controlled
        for pair, systems in one.values.items():
            task = pair.partition(".")[0]
            kept = {*PAPER} - (lost.keys() if task == "ner" else set())
            assert systems.keys() - {"bert_or_laser_top"} == kept, (measure, pair)
    assert found["zero_shot", "all"].not_compared(["laser_elmo"]) == (
        "laser_elmo does not beat random vectors (ner.de, ner.nl)",
    )
    assert found["detection", "all"].values["de"].keys() == {"bert", "xlm", "laser_top"}
    assert found["training_score", "all"].withheld["ner", "laser_elmo"] == "does not beat random vectors"
    assert {task for task, _ in found["significance", "all"].values["all"]["muse"][1]} == {"pos"}


def test_the_better_of_two_is_not_compared_where_one_is_not(tmp_path: Path) -> None:
    cells = cells_of(tmp_path / "x")
    for cell in cells:
        if (cell.task, cell.metrics[0]) == ("pos", "source=accuracy"):
            score = read_json(cell.score)
            write_json(cell.score, {**score, "shortcut": "linear", "shortcut_accuracy": 85.0})
    told = evidence(cells, {})["zero_shot", "all"].withheld
    assert told["pos.de", "laser_top"] == "does not beat the linear control"
    assert told["pos.de", "bert_or_laser_top"] == "(laser_top does not beat the linear control)"
    assert ("pos.de", "bert") not in told


def test_without_basque_there_is_no_comparison_of_hungarian_with_it(cells: list[Cell]) -> None:
    cells = [cell for cell in cells if cell.target != "eu"]
    assert not evidence(cells, {})["hungarian_over_basque", "all"].values
    assert evidence(cells, {})["distance", "all"].values


def test_a_failed_mapping_is_marked_and_left_out(cells: list[Cell], tmp_path: Path) -> None:
    path, rules = (
        tmp_path / "bli.json",
        {"csls|k=10|oov=muse": 0.4, "nn|oov=muse": 50, "csls|k=10|oov=paper": 50},
    )
    write_json(
        path, [{"signature": f"{rule}|identical=kept", "p_at_1": rate} for rule, rate in rules.items()]
    )
    bli = Cell("laser_taggers", "table2", "muse", "bli", "en", "de", 1, str(path), ("p_at_1",), "0f")
    found = evidence([*cells, bli], {})
    failed = [("ner.de", "muse", seed) for seed in SEEDS] + [("pos.de", "muse", seed) for seed in SEEDS]
    assert sorted(found["zero_shot", "all"].failed) == sorted(found["drop", "all"].failed) == failed
    assert set(found["distance", "all"].failed) == {("ner", "muse", seed) for seed in SEEDS}
    assert not found["monolingual", "all"].failed
    assert "muse" not in found["detection", "all"].values["de"]
    judgement = judge(claims_of("laser_taggers")["bert_transfers_best"], found)
    assert judgement.failures["muse"].items() >= {"failed": 16, "runs": 32}.items()
    assert judgement.failures["xlm"]["failed"] == 0
    assert not judgement.missing
    assert "muse" not in {finding.comparison.over for finding in judgement.findings}
    told = found["significance", "all"].values["all"]
    assert set(told["muse"][1]) == {("ner", "nl"), ("pos", "nl")}
    assert set(told["xlm"][1]) == {("ner", "nl"), ("pos", "nl"), ("ner", "de"), ("pos", "de")}


def test_no_interval_of_a_percentage_goes_beyond_a_hundred(tmp_path: Path) -> None:
    cells = cells_of(tmp_path / "x")
    of_xlm = [c for c in cells if (c.metrics, c.system, c.target) == (("p_value",), "xlm", "de")]
    for cell in of_xlm:
        write_json(cell.score, {"p_value": 0.2 if cell.seed == 1 else 0.001})
    assert len(of_xlm) == 2 * len(SEEDS)  # of twice as many: those of one run are not told
    found = judged("laser_taggers", evidence(cells, {}))
    decisive = found["differences_from_laser_top_are_significant"].decisive
    assert decisive.comparison.system == "xlm"
    assert decisive.spread.effect == pytest.approx(100 * (1 - 2 / (4 * len(SEEDS))))
    assert decisive.interval.low < decisive.spread.effect < decisive.interval.high == 100
