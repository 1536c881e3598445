"""The jobs of laser_taggers."""

from collections import Counter
from itertools import product

import pytest

from configurations import Opener, lines, rows
from crosslingua.errors import ConfigError
from crosslingua.papers.laser_taggers.experiments import LaserTaggers
from crosslingua.papers.laser_taggers.taggers import settings_of

SEEDS = (1, 2, 3, 4, 5)
NO_MBERT = {"papers": ["joint_align", "laser_taggers"]}
TASKS = {"ner": {"source": "ana", "targets": ["ber", "cor"], "distant": ["dax"]}, "pos": None}


def test_scenarios_hold_a_quarter_of_each_language_or_all_of_the_first() -> None:
    found = {one.name: dict(one.parts) for one in settings_of("en", ["nl", "de", "es"], [], 1.0, joint=True)}
    assert found == {
        "zero_shot": {"en": 1},
        **{f"monolingual_{language}": {language: 1} for language in ("nl", "de", "es")},
        "scenario_a": {"en": 0.25, "nl": 0.25, "de": 0.25, "es": 0.25},
        "scenario_b": {"en": 1, "nl": 0.25, "de": 0.25, "es": 0.25},
    }  # fmt: skip


def test_a_share_is_of_every_set_and_a_distant_language_has_no_part_in_joint_training() -> None:
    found = {one.name: dict(one.parts) for one in settings_of("en", ["nl"], ["eu"], 0.4, joint=True)}
    assert found == {
        "zero_shot": {"en": 0.4}, "monolingual_nl": {"nl": 0.4},
        "monolingual_eu": {"eu": 0.4},  # the upper line of a distant language
        "scenario_a": {"en": 0.1, "nl": 0.1}, "scenario_b": {"en": 0.4, "nl": 0.1},
    }  # fmt: skip


def test_as_published_a_distant_language_is_only_tested(opened: Opener) -> None:
    """Table 2 has Basque and Hungarian after an arrow alone."""
    for published, w in ((True, opened()), (True, opened("paper", NO_MBERT)), (False, opened("full"))):
        (far,) = {c.target for c in LaserTaggers(w).cells("main") if c.conditions.get("distant")} - {"eu"}
        trained = {one.name for one in LaserTaggers(w).taggers()["main"]}
        assert (f"bpe_gru/monolingual_{far}.ner" not in trained) == published


def test_a_system_is_trained_in_every_setting_and_tested_on_every_language(opened: Opener) -> None:
    w = opened("full", {"encoders": {"tagged": 2}, "laser_taggers": {"tasks": TASKS}})
    own = [one for one in LaserTaggers(w).taggers()["main"] if one.name.startswith("laser_top/")]
    every = ["ana", "ber", "cor", "dax"]
    assert {one.name: [tested.name for tested in one.test] for one in own} == {
        **{f"laser_top/{setting}.ner": every for setting in ("zero_shot", "scenario_a", "scenario_b")},
        **{f"laser_top/monolingual_{language}.ner": [language] for language in every[1:]},
    }
    assert {(one.member, one.seeds) for one in own} == {("transformer_crf", SEEDS)}
    for control, member, seeds in (("random", "transformer_crf", SEEDS), ("majority", "majority", (1,))):
        held = [one for one in LaserTaggers(w).taggers()["main"] if one.name.startswith(f"{control}/")]
        assert {one.name.removeprefix(control) for one in held} == {
            one.name.removeprefix("laser_top") for one in own
        }
        assert {(one.member, one.seeds) for one in held} == {(member, seeds)}
    folders = [embedding.settings["encoder"] for embedding in own[0].train[0].embeddings]
    assert folders == [f"results/full/encoders/laser/seed{seed}" for seed in (1, 2, 1, 2, 1)]


def test_recipes_are_the_published_ones_but_for_what_the_configuration_says(opened: Opener) -> None:
    taggers = {one.name: one.settings for one in LaserTaggers(opened("paper", NO_MBERT)).taggers()["main"]}
    # train_tagger.py's defaults, which are the published ones
    assert taggers["bpe_bow/zero_shot.ner"] == {"batch_size": 32, "tagger.hidden": 300}
    laser = taggers["laser_elmo/zero_shot.ner"]
    assert (laser["optimiser"], laser["patience"], laser["trials"]) == ("one_cycle", 0, 20)
    tunings = LaserTaggers(opened("paper", NO_MBERT)).fine_tunings()["main"]
    (tuning,) = [one for one in tunings if one.encoder == "mbert"]
    recipe = {"epochs": 4, "batch_size": 16, "lr": 5e-5, "language_ids": False}  # the last for XLM
    assert tuning.settings["ner"] == recipe


@pytest.mark.parametrize("scale", ["full", "tiny"])
def test_an_equal_recipe_is_of_lasers_settings_and_own_features(opened: Opener, scale: str) -> None:
    w = opened(scale)
    every = {one.name: one for one in LaserTaggers(w).taggers()["main"]}
    beside = {name: one for name, one in every.items() if "_laser_recipe/" in name}
    assert beside
    for name, one in beside.items():
        assert "/zero_shot" in name  # where it is compared
        plain, laser = every[name.replace("_laser_recipe", "")], every[f"laser_elmo/zero_shot.{one.task}"]
        assert one.settings == {k: v for k, v in laser.settings.items() if k != "score_training"}
        assert one.settings != plain.settings
        for mine, own in zip((*one.train, *one.test), (*plain.train, *plain.test), strict=True):
            assert (mine.name, mine.share) == (own.name, own.share)
            for each, other in zip(mine.embeddings, own.embeddings, strict=True):
                assert (each.embedder, each.settings) == (other.embedder, other.settings)
    systems = list(dict.fromkeys(c.system for c in LaserTaggers(w).cells("main")))
    assert systems[:2] == ["bpe_bow", "bpe_bow_laser_recipe"]


def test_seeds_read_vectors_laser_and_encoders_in_turn(opened: Opener) -> None:
    """Published: five runs. Paper scale trains vectors and LASER once."""
    change = {"encoders": {"seeds": [1, 2], "tagged": None}, "laser_taggers": {"seeds": None}}
    plan = lines(opened(change=change), "finetune/laser_taggers.mbert")
    assert [one["seed"] + one["encoder"][-6:] for one in plan] == ["1/seed1", "2/seed2", "3/seed1"]
    w = opened("paper", NO_MBERT)
    found = {one.name: one for one in LaserTaggers(w).taggers()["main"]}
    for name in ("muse/zero_shot_de.ner", "laser_top/zero_shot.ner", "bpe_bow/zero_shot.ner"):
        (read,) = set(found[name].train[0].embeddings)
        assert read.name.endswith("seed1")
        assert found[name].seeds == (1, 2, 3, 4, 5)
    rows = [one for one in LaserTaggers(w).cells("main") if (one.table, one.task) == ("table2", "ner")]
    for system in ("muse", "laser_top", "bert"):
        own = [c for c in rows if (c.system, c.target) == (system, "de")]
        assert [c.seed for c in own if c.metrics[0] == "zero_shot=f1"] == [1, 2, 3, 4, 5]
    assert {one["seed"] for one in lines(w, "finetune/laser_taggers.mbert")} == set("12345")


def test_only_what_is_compared_on_sentences_of_training_predicts_them(opened: Opener) -> None:
    w = opened("full")
    asked = {one.name for one in LaserTaggers(w).taggers()["main"] if one.settings.get("score_training")}
    compared = ("laser_top", "laser_elmo")
    assert asked == {f"{system}/zero_shot.{task}" for system in compared for task in ("ner", "pos")}
    assert LaserTaggers(w).evidence("main") == {"taggers": ["results/full/tagging/laser_taggers/laser"]}
    without = opened("full", {"laser_taggers": {"systems": dict.fromkeys(compared)}})
    assert LaserTaggers(without).evidence("main") == {"taggers": []}


def test_tables_say_what_was_not_run_and_otherwise_all_tasks_are_trained_jointly(opened: Opener) -> None:
    one = LaserTaggers(opened(change={"laser_taggers": {"joint": ["ner"]}})).tables()
    assert "Not trained jointly at this scale (laser_taggers.joint): POS." in one["table3"].note
    assert "jointly" not in one["table2"].note
    (note,) = [one.note for one in LaserTaggers(opened("real")).tables().values()]
    assert note.endswith("Not trained jointly at this scale (laser_taggers.joint): NER, POS.")
    for reason in ("NER de alone: no training data at hand.", "NER → hu: no data of the paper's kind at hand.",
                   "NER: no mapped vectors (muse) of nl, eu.", "POS de alone: no training data at hand."):  # fmt: skip
        assert reason in note
    assert "POS → hu" not in note
    assert "muse_laser_recipe" not in note  # it reads what muse reads
    w = opened("full")
    assert set(LaserTaggers(w).drawings()) == {"figure3", "figure4", "figure5"}
    assert "jointly" not in LaserTaggers(w).tables()["table3"].note
    found = {(c.table, c.metrics[0]) for c in LaserTaggers(w).cells("main") if c.task == "pos"}
    assert {("table3", "scenario_a=accuracy"), ("fig4", "gain=accuracy")} <= found


def test_mapped_vectors_have_a_tagger_a_pair(opened: Opener) -> None:
    w = opened(change={"laser_taggers": {"seeds": None, "tasks": TASKS, "distant_alone": True}})
    own = {one.name: one for one in LaserTaggers(w).taggers()["main"] if one.name.startswith("muse/")}
    settings = product(("ber", "cor", "dax"), ("zero_shot", "monolingual"))
    assert list(own) == [f"muse/{setting}_{language}.ner" for language, setting in settings]
    zero = own["muse/zero_shot_cor.ner"]
    files = [one.embeddings[1].settings["vectors"] for one in (*zero.train, *zero.test)]
    folder = "results/demo/embedding_alignment/ana-cor.world/vecmap/seed2"
    assert files == [f"{folder}.source.vec", f"{folder}.target.vec"]
    assert [one.name for one in own["muse/zero_shot_ber.ner"].test] == ["ber", "ana"]  # of the source once


def test_a_pair_without_a_dictionary_has_no_vectors_that_need_one(opened: Opener) -> None:
    def mapped(system: str) -> set[str]:
        w = opened("real", {"laser_taggers": {"systems": {"muse": {"vectors": system}}}})
        return {
            one.name for one in LaserTaggers(w).taggers()["main"] if one.name.startswith("muse/zero_shot")
        }

    by_dictionary = {f"muse/zero_shot_{name}" for name in ("de.ner", "es.ner", "de_universal.pos", "es.pos")}
    assert mapped("procrustes") == by_dictionary
    assert mapped("mini_vec2vec") == by_dictionary | {"muse/zero_shot_nl.ner", "muse/zero_shot_nl.pos"}


def test_cells_of_joint_training_take_off_what_the_figures_take_off(opened: Opener) -> None:
    every = LaserTaggers(opened("full")).cells("main")
    found = [one for one in every if one.system == "xlm" and one.seed == 1]
    folder = "results/full/scores/laser_taggers.main/xlm/seed1/ner"
    by = {(one.table, one.target, one.metrics[0]): one for one in found}
    change = by["table3", "ber", "change=f1"]
    assert change.score == f"{folder}.laser_taggers_scenario_b.laser_taggers_ber.json"
    assert change.less == f"{folder}.laser_taggers_scenario_a.laser_taggers_ber.json"
    assert by["fig3", "ber", "gain=f1"].less == change.less
    assert by["fig3", "ana", "gain=f1"].less == f"{folder}.laser_taggers_zero_shot.laser_taggers_ana.json"


def test_another_language_pair_is_one_entry(opened: Opener) -> None:
    """Without a list, what a pair has data of is a target, but for what is distant."""
    tasks = {"ner": {"targets": None}}
    w = opened(change={"pairs": ["ana-ber", "ana-cor", "ana-eno"], "laser_taggers": {"tasks": tasks}})
    found = [c for c in LaserTaggers(w).cells("main") if (c.task, c.table) == ("ner", "table2")]
    assert {c.target for c in found} == {"ana", "ber", "cor", "eno"}
    assert {c.target for c in found if c.conditions.get("distant")} == {"cor"}


def test_a_language_that_one_task_calls_distant_is_a_target_of_none(opened: Opener) -> None:
    tasks = {"ner": {"targets": None, "distant": ["cor"]}, "pos": {"targets": None}}
    w = opened(change={"laser_taggers": {"tasks": tasks}})
    found = {
        (c.task, c.target) for c in LaserTaggers(w).cells("main") if c.table == "table2" and c.task in tasks
    }
    assert found == {*product(("ner", "pos"), ("ana", "ber", "dax")), ("ner", "cor")}


def test_hashes_are_of_the_sets_and_not_of_how_they_are_told(opened: Opener) -> None:
    def hashes(pairs: list[str], targets: object, bitext: object, test: object) -> dict[tuple, str]:
        tasks = {task: {"targets": targets, "distant": []} for task in ("ner", "pos")}
        laser = {"bitext": bitext, "test": test}
        own = {"tasks": tasks, "systems": {"laser_top": {"embedder": "laser_top", "recipe": "laser"}}}
        w = opened(change={"pairs": pairs, "laser_taggers": own, "encoders": {"laser": laser}})
        found = [one for one in rows(w, "laser_taggers") if one["metrics"].startswith("zero_shot")]
        return {(one["task"], one["system"], one["target"]): one["config_hash"] for one in found}

    both = ["ana-ber", "ana-cor"]
    by_name = hashes(both, ["ber", "cor"], both, both)
    assert by_name == hashes(both, None, None, None)
    assert by_name == hashes(both, ["ber", "pairs"], ["ana-ber", "pairs"], 2)
    others = hashes(["ana-ber", "ana-dax"], ["ber"], None, None)  # as much bitext, of another language
    assert others["ner", "laser_top", "ber"] != hashes(both, ["ber"], None, None)["ner", "laser_top", "ber"]


def test_every_result_is_one_row(opened: Opener) -> None:
    found = LaserTaggers(opened("full")).cells("main")
    told = [(c, metric.partition("=")[0]) for c in found for metric in c.metrics]
    keys = Counter((c.table, c.task, c.target, metric, c.system, c.seed) for c, metric in told)
    assert max(keys.values()) == 1


def test_encoders_read_lower_case_files_that_hold_the_same_shares(opened: Opener) -> None:
    w = opened(change={"laser_taggers": {"joint": None, "share": 0.3}})
    made = {one["out"].rpartition("/")[2]: one for one in lines(w, "mix_tagged") if one["task"] == "ner"}
    both = made["laser_taggers_scenario_b.train.conll"]
    assert both["data"].split() == [f"results/demo/corpora/ner/{name}.train.conll" for name in ("ana", "ber")]
    assert both["share"].split() == ["0.3", "0.075"]
    assert made["laser_taggers_ber.test.conll"]["share"] == "1.0"
    assert {one["lowercase"] for one in made.values()} == {"true"}
    tuning = LaserTaggers(w).fine_tunings()["main"][0]
    tuned = {name for _, name in (*tuning.train, *tuning.test)}
    files = [one["out"].rpartition("/")[2] for one in lines(w, "mix_tagged")]
    assert {file.partition(".")[0] for file in files} == tuned
    # no table has the score of a model of one language in another
    assert tuning.only["ner", "laser_taggers_monolingual_ber"] == "laser_taggers_ber"
    tested = lines(w, "finetune/laser_taggers.mbert")[0]["only"]
    assert "ner/laser_taggers_monolingual_ber=laser_taggers_ber" in tested


def test_systems_are_compared_with_laser_top_seed_by_seed(opened: Opener) -> None:
    found = lines(opened("full"), "compare_tags/laser_taggers")
    assert len(found) == len({one["out"] for one in found})
    assert all(f"/laser_top/zero_shot.{one['task']}/" in one["second"] for one in found)


def test_a_mixture_of_tag_sets_is_refused_and_embedders_on_laser_without_it(opened: Opener) -> None:
    def trained(targets: list[str]) -> dict:
        pos = {"source": "eng", "targets": targets, "distant": []}
        return {"laser_taggers": {"tasks": {"pos": pos}, "joint": []}}

    opened("real", trained(["nl"]))  # both universal
    with pytest.raises(
        ConfigError, match=r"tasks\.pos: tags of de_udpos are not the universal .* universal=true"
    ):
        opened("real", trained(["nl", "de_udpos"]))
    with pytest.raises(ConfigError, match=r"systems\.mine: the key 'embedder' is missing, or 'vectors', or"):
        opened(change={"laser_taggers": {"systems": {"mine": {"recipe": "laser"}}}})
    with pytest.raises(ConfigError, match=r"reads LASER, but encoders\.laser is null"):
        opened(change={"encoders": {"laser": None}})
