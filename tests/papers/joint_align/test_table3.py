"""joint_align's table 3: its jobs, its table, and the evidence of its claims."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from configurations import Opener, lines
from configurations import rows as planned_rows
from crosslingua.cells import Cell
from crosslingua.claims.verdict import judge
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_json, write_json
from crosslingua.papers.joint_align.claims import entities
from crosslingua.papers.joint_align.experiments import JointAlign
from crosslingua.papers.joint_align.tables import TABLES
from crosslingua.workflow.results import early_group, targets, wanted
from judged import claims_of
from metric_rows import frame

SYSTEMS = [
    "majority", "random_vectors", "same_spelling", "align", "joint", "joint_align", "mbert_finetune", "xlm_finetune",
    "mbert_feature", "mbert_feature_align", "target_language",
]  # fmt: skip


def of_table(w) -> list[Cell]:
    return JointAlign(w).cells("ner") if "ner" in JointAlign(w).groups() else []


def trained(w) -> list[dict[str, str]]:
    """The lines of both plans of taggers."""
    return [*lines(w, "train_tagger/joint_align.static"), *lines(w, "train_tagger/joint_align.contextual")]


def test_what_is_scored_is_what_taggers_and_encoders_write(opened: Opener) -> None:
    w = opened()
    scored = {cell["hypothesis"] for cell in lines(w, "score_predictions/joint_align.main")}
    written = set()
    for cell in trained(w):
        names = [word.partition("=")[0].partition("/")[2] for word in cell["test"].split()]
        written |= {f"{cell['out']}/seed{n}/{name}.conll" for n in cell["seed"].split() for name in names}
    tuned = {path for path in scored if "/fine_tuning/" in path}
    assert scored - tuned == written
    assert tuned


def test_the_most_frequent_label_is_counted_once_for_every_seed(opened: Opener) -> None:
    w = opened()
    own = next(one.tagger for one in JointAlign(w).entities.labelled if one.system == "majority")
    assert (own.seeds, own.settings["epochs"]) == ((w.seeds[0],), 1)
    own = [cell for cell in of_table(w) if (cell.system, cell.target) == ("majority", "ber")]
    assert len({(cell.table, cell.score) for cell in own}) == 2  # in the target language, and in the source


def test_taggers_read_features_that_are_made(opened: Opener) -> None:
    w = opened()
    for job in ("static", "contextual"):
        made = {cell["out"]: cell["data"] for cell in lines(w, f"embed_words/joint_align.{job}")}
        read = {}
        for cell, split in product(lines(w, f"train_tagger/joint_align.{job}"), ("train", "valid", "test")):
            for word in cell[split].split():
                data, _, features = word.partition("=")[2].partition(",")
                read[features] = data
                assert f".{split}." in data
        assert read == made


def test_static_vectors_are_tuned_as_published_and_at_full_frozen_besides(opened: Opener) -> None:
    """Section 4.2: "a vanilla Bi-LSTM-CRF model (Lample et al., 2016)", which trains its word vectors."""
    for scale, beside in (("", False), ("real", False), ("paper", False), ("full", True)):
        every = JointAlign(opened(scale)).entities.labelled
        rates = {(one.system, one.tagger.settings.get("vector_rate", 0)) for one in every}
        assert {("align", 0.01), ("joint", 0.01), ("mbert_feature", 0), ("target_language", 0.01)} <= rates
        assert (("joint_frozen", 0) in rates) == (("align_frozen", 0) in rates) == beside
    taggers = {one.tagger.name: one.tagger for one in every}
    for name in ("align", "joint", "joint_align"):
        tuned, frozen = (taggers[f"{own}/ana-cor.world"] for own in (name, f"{name}_frozen"))
        assert (tuned.train, tuned.test, tuned.seeds) == (frozen.train, frozen.test, frozen.seeds)
        assert {**tuned.settings, "vector_rate": 0} == frozen.settings
    told = "Static vectors are tuned with the tagger (rate 0.01)."
    assert told in JointAlign(opened()).tables()["table3"].note
    # what cannot be tuned is refused before the first job
    w = opened(change={"joint_align": {"table3": {"tagger": {"vector_rate": 0.1}}}})
    with pytest.raises(ConfigError, match="joint_align: vector_rate tunes static vectors; mbert_feature/ana"):
        lines(w, "train_tagger/joint_align.static")


def test_a_zero_shot_tagger_is_trained_on_the_source_and_selected_on_it(opened: Opener) -> None:
    for cell in trained(opened()):
        learnt = "ner/ana=" if "target_language" not in cell["out"] else "ner/" + cell["out"][-3:]
        assert cell["train"].startswith(learnt)
        assert cell["valid"].startswith(learnt)
        assert " " not in cell["train"]


def test_vectors_are_of_the_tables_own_systems_and_of_the_pairs_side(opened: Opener) -> None:
    plan = {cell["out"]: cell for cell in lines(opened(), "embed_words/joint_align.static")}
    folder = "results/demo/features/joint_align/static"
    one = plan[f"{folder}/joint_align_procrustes.ana-cor.world.target.seed2/ner.cor.test.safetensors"]
    mapped = "results/demo/embedding_alignment/ana-cor.world/joint_align_procrustes/seed2.target.vec"
    assert (one["set"], one["language"]) == (f"vectors={mapped}", "cor")


def test_seeds_of_the_table_read_encoders_and_vectors_in_turn(opened: Opener) -> None:
    """At paper scale five seeds of taggers, as many fine-tunings, and one training of vectors."""
    change = {"encoders": {"seeds": [1, 2], "tagged": None}}
    tuned = lines(opened(change=change), "finetune/joint_align.mbert")
    assert [cell["seed"] + cell["encoder"][-6:] for cell in tuned] == ["1/seed1", "2/seed2", "3/seed1"]
    w = opened("paper")
    seeds = {cell.seed for cell in of_table(w) if cell.system in ("align", "mbert_finetune")}
    assert seeds == {1, 2, 3, 4, 5}
    static = lines(w, "train_tagger/joint_align.static")
    (align,) = [cell for cell in static if "/align/en-de" in cell["out"]]
    assert align["seed"] == "1 2 3 4 5"
    assert ".source.seed1/" in align["train"]
    assert len(lines(w, "finetune/joint_align.mbert")) == 5


def test_only_the_source_is_rotated(opened: Opener) -> None:
    plan = lines(opened(), "embed_words/joint_align.contextual")
    assert {cell["language"] for cell in plan if "rotations=" in cell["set"]} == {"ana"}
    plain = {
        cell["language"]
        for cell in plan
        if cell["data"].endswith("test.conll") and "rotations=" not in cell["set"]
    }
    assert plain == {"ana", "ber", "cor", "dax"}  # of the source for the encoder as it is


def test_a_language_without_training_data_has_no_upper_line_and_says_so(opened: Opener) -> None:
    w = opened("real")
    pairs = [pair.name for pair in JointAlign(w).entities.pairs]
    assert pairs == ["en-de.muse_full", "en-es.muse_full", "en-nl.none"]
    note = JointAlign(w).tables()["table3"].note
    assert "No target_language for de" in note
    assert "No align, joint_align for en-nl: no dictionary." in note
    expected = {"target_language": {"es", "nl"}, "joint": {"de", "es", "nl"}, "align": {"de", "es"}}
    for system, targets_of in expected.items():
        assert {cell.target for cell in of_table(w) if cell.system == system} == targets_of, system


def test_table_3_can_be_left_out(opened: Opener) -> None:
    w = opened(change={"joint_align": {"table3": None}})
    assert of_table(w) == []
    assert "table3" not in JointAlign(w).tables()
    assert not any((*JointAlign(w).taggers().values(), *JointAlign(w).fine_tunings().values()))
    change = {"table3": {"features": None, "fine_tuned": {"xlm_finetune": None}}}
    static = opened("tiny", {"joint_align": change})
    shown = {cell.system for cell in of_table(static)}
    assert shown == set(SYSTEMS) - {"mbert_feature", "mbert_feature_align", "xlm_finetune"}


def test_table_3_may_stand_without_lexicon_induction(opened: Opener) -> None:
    alone = {"induced": [], "controls": None, "figure1": None, "translation": None}
    w = opened("real", {"joint_align": alone})
    assert JointAlign(w).groups() == ["ner"]
    assert (set(JointAlign(w).tables()), JointAlign(w).drawings()) == ({"table3"}, {})
    assert (early_group(w, "joint_align"), early_group(opened("real"), "joint_align")) == ("", "main")
    assert wanted(w, ["joint_align"]).rows() == [f"{w.results}/rows/joint_align.ner.csv"]
    assert "bli" not in targets(w)


def test_other_settings_give_another_hash(opened: Opener) -> None:
    def hashes(change=None) -> dict[tuple, str]:
        found = planned_rows(opened(change={"joint_align": {"table3": change or {}}}), "joint_align")
        own = [one for one in found if one["table"] == "table3"]
        return {(one["system"], one["target"]): one["config_hash"] for one in own}

    before, after = hashes(), hashes({"tagger": {"epochs": 9}})
    changed = {system for (system, _), value in after.items() if value != before[system, _]}
    assert changed == set(SYSTEMS) - {"majority", "mbert_finetune", "xlm_finetune"}


def rows(**values: float):
    """Rows of table 3, F1 by system, of one pair."""
    shared = {"table": "table3", "task": "ner", "metric": "f1", "signature": "spans|strict|IOB2|micro"}
    return frame(*({"system": system, "value": value} for system, value in values.items()), **shared)


def test_the_table_has_systems_then_controls() -> None:
    ours = {"align": 50.0, "joint": 40.0, "one_of_mine": 45.0}
    lines = {"majority": 0.0, "random_vectors": 2.0}
    found = rows(**lines, **ours, target_language=70.0)
    systems, controls, *_ = TABLES["table3"].build(found, {("align", "ber", "ner", "f1"): 55.0})
    assert systems.cells.loc[("align", "ana-ber"), ["mean", "published"]].tolist() == [50.0, 55.0]
    assert set(systems.cells.index.get_level_values("system")) == set(ours)
    assert list(controls.cells.index.get_level_values("system")) == [*lines, "target_language"]
    assert TABLES["table3"].warn(found) == ""


def test_what_tuning_adds_is_tuned_less_frozen_seed_by_seed() -> None:
    """By hand: 50 - 56 and 52 - 54 are -4 in the mean; the frozen rows compete with no system."""
    first = rows(align=50.0, joint=40.0, align_frozen=56.0, joint_frozen=41.0)
    second = rows(align=52.0, joint=44.0, align_frozen=54.0, joint_frozen=42.0).assign(seed=2)
    systems, still, added = TABLES["table3"].build(pd.concat([first, second], ignore_index=True), {})
    assert set(systems.cells.index.get_level_values("system")) == {"align", "joint"}
    assert systems.best()["align", "ana-ber"]
    assert still.cells.loc[("align", "ana-ber"), "mean"] == 55
    assert added.cells["mean"].unstack("column")["ana-ber"].to_dict() == {"align": -4.0, "joint": 0.5}
    assert [still.bold, added.bold] == [False, False]


def test_nothing_is_bold_where_no_system_is_above_the_controls() -> None:
    for value, bold in ((17.9, []), (18.1, [("align", "ana-ber")])):
        found = rows(majority=0.0, same_spelling=8.0, align=value, joint=9.0, target_language=70.0)
        best = TABLES["table3"].build(found, {})[0].best()
        assert list(best[best].index) == bold


def test_a_control_that_failed_is_told() -> None:
    for random, align, said in (
        (30.0, 50.0, "random_vectors 30.0"),
        (1.0, 71.0, "target_language 70.0, not above"),
    ):
        assert said in TABLES["table3"].warn(rows(random_vectors=random, align=align, target_language=70.0))


def scored(tmp_path: Path, **values: float) -> list[Cell]:
    """Cells of four seeds and sentences whose influence values have the mean that is given."""
    found = []
    for (system, value), seed in product(values.items(), (1, 2, 3, 4)):
        path, items = (
            tmp_path / f"{system}.{seed}.json",
            [value + seed / 10 + n for n in (-1.0, 0.0, 1.0)] * 20,
        )
        write_json(path, {"f1": value, "per_sentence": items})
        place = (system, "ner", "ana", "ber", seed, str(path))
        found.append(Cell("joint_align", "table3", *place, ("f1",), "0f"))
    return found


def test_who_does_not_beat_a_control_in_the_source_language_is_not_compared(tmp_path: Path) -> None:
    """There random vectors have 50, the shortcut 60; the upper line has 70 where the shortcut of its data has 80."""
    cells = scored(
        tmp_path, joint=40.0, joint_align=47.0, align=44.0, target_language=70.0, random_vectors=1.0
    )
    home = {"joint": 70.0, "joint_align": 59.9, "align": 49.0, "random_vectors": 50.0}
    (tmp_path / "home").mkdir()
    for one in scored(tmp_path / "home", **home):
        write_json(
            one.score, {"f1": home[one.system] + one.seed / 100, "shortcut": "linear", "shortcut_f1": 60.0}
        )
        cells.append(replace(one, table="source"))
    for one in cells[:20]:
        own = {"shortcut": "by heart", "shortcut_f1": 80.0 if one.system == "target_language" else 99.0}
        write_json(one.score, read_json(one.score) | own)
    found = entities(cells)
    linear = "does not beat the linear control"
    assert found.controlled
    assert found.values["ana-ber"].keys() == {"joint", "random_vectors"}
    assert found.withheld == {
        ("ana-ber", "joint_align"): linear,
        ("ana-ber", "align"): linear,
        ("ana-ber", "target_language"): "does not beat the best shortcut",
        ("ana-ber", "refinement_static"): f"(joint_align {linear})",
        ("ana-ber", "tuning_align"): f"(align {linear})",
    }


def test_evidence_is_f1_by_sentence_and_what_refinement_gains(tmp_path: Path) -> None:
    found = entities(scored(tmp_path, joint=40.0, joint_align=47.0)).values["ana-ber"]
    assert set(found) == {"joint", "joint_align", "refinement_static"}
    assert set(found["refinement_static"][2].values()) == {7.0}
    assert sum(found["joint"][1].values()) / 60 == pytest.approx(40.1)


@pytest.mark.parametrize(
    ("claim", "holds", "changes"),  # what makes the verdict another one
    [
        ("alignment_outperforms_joint_on_entities", {"align": 50, "joint": 40},
         {"contradicted": {"align": 40, "joint": 50}}),
        ("joint_align_improves_entities", {"align": 50, "joint": 40, "joint_align": 55},
         {"mixed": {"joint_align": 45}, "contradicted": {"joint_align": 35}}),
        ("feature_alignment_improves_mbert", {"mbert_feature": 50, "mbert_finetune": 51, "mbert_feature_align": 55},
         {"mixed": {"mbert_finetune": 60}, "contradicted": {"mbert_feature": 58, "mbert_finetune": 60}}),
        ("contextual_gain_is_smaller", {"joint": 40, "joint_align": 50, "mbert_feature": 60, "mbert_feature_align": 61},
         {"contradicted": {"joint_align": 41, "mbert_feature_align": 66}}),
        ("feature_alignment_is_best_on_entities",
         {"align": 50, "joint": 40, "joint_align": 55, "mbert_finetune": 58, "mbert_feature": 57, "xlm_finetune": 50,
          "mbert_feature_align": 62},
         {"mixed": {"joint_align": 65, "mbert_feature_align": 60}, "contradicted": {"mbert_feature_align": 39}}),
        ("contextual_joint_training_is_strong", {"align": 50, "joint": 40, "mbert_feature": 57},
         {"mixed": {"mbert_feature": 45}, "contradicted": {"mbert_feature": 35}}),
        ("tuning_favours_shared_words", {"align": 50, "align_frozen": 60, "joint": 40, "joint_frozen": 41},
         {"contradicted": {"align": 60, "joint_frozen": 45}}),
        ("xlm_worse_than_mbert", {"xlm_finetune": 40, "mbert_finetune": 50},
         {"contradicted": {"xlm_finetune": 50, "mbert_finetune": 40}}),
    ],
)  # fmt: skip
def test_a_claim_holds_and_fails(tmp_path: Path, claim: str, holds: dict, changes: dict) -> None:
    for verdict, changed in ({"reproduced": {}} | changes).items():
        (tmp_path / verdict).mkdir()
        evidence = {("entities", "all"): entities(scored(tmp_path / verdict, **holds | changed))}
        assert judge(claims_of("joint_align")[claim], evidence).verdict == verdict
