"""Jobs of lexicon induction."""

from collections import Counter
from pathlib import PurePath

import pytest

from configurations import Opener, planned
from crosslingua.workflow import lexicons
from crosslingua.workflow.workflow import LexiconPair

PAIR = LexiconPair("ana", "ber", "world")
EMBEDDINGS = "results/tiny/word_embeddings"
MAPPED = "results/tiny/embedding_alignment/ana-ber.world"


def test_inducing_a_lexicon_is_a_cell_a_variant_and_seed(opened: Opener) -> None:
    w = opened("tiny")
    folder = "results/tiny/lexicon_induction/ana-ber.world/supervised/joint_ar_rcsls"
    cells = planned(lexicons.lexicon_plan(w, PAIR, "joint_ar_rcsls"))
    assert cells == [
        {
            "source": f"{MAPPED}/joint_ar_rcsls/{variant}seed{seed}.source.vec",
            "target": f"{MAPPED}/joint_ar_rcsls/{variant}seed{seed}.target.vec",
            "mapping": f"{MAPPED}/joint_ar_rcsls/{variant}seed{seed}.details.json",
            "out": f"{folder}/{variant}seed{seed}.json",
            "predictions": f"{folder}/{variant}seed{seed}.predictions.tsv",
        }
        for variant in ("", "published.")
        for seed in (1, 2)
    ]
    assert lexicons.lexicon_jobs(w, (cell["out"] for cell in cells)) == [folder]
    duong = planned(lexicons.lexicon_plan(w, PAIR, "duong"))[0]
    assert (duong["source"], duong["mapping"]) == (f"{EMBEDDINGS}/duong/ana-ber.world/seed1.source.vec", "")


def test_a_job_of_the_curve_is_of_all_systems_that_need_a_dictionary(opened: Opener) -> None:
    w = opened("tiny")
    cells = planned(lexicons.lexicon_plan(w, w.curve_pairs["ana-ber.world_55"]))
    judged = [PurePath(cell["out"]).parent.name for cell in cells]
    assert {"procrustes", "duong", "joint_align_rcsls"} <= set(judged)
    assert not {"muse", "joint", "joint_vr", "joint_align_identity"} & set(judged)
    assert max(Counter(judged).values()) == len(w.seeds)  # none under published settings
    folder = "results/tiny/lexicon_induction/ana-ber.world_55/supervised"
    assert lexicons.lexicon_jobs(w, (cell["out"] for cell in cells)) == [folder]


def test_a_pair_is_found_by_its_name_with_its_dictionary_of_any_size(opened: Opener) -> None:
    w = opened("tiny")
    assert w.pair_named("ana-ber.world") == PAIR
    assert w.pair_named("ana-ber.world_55") == LexiconPair("ana", "ber", "world_55", curve=True)
    with pytest.raises(KeyError, match="other"):
        w.pair_named("ana-ber.other")


def test_options_of_lexicon_induction(opened: Opener) -> None:
    w = opened("tiny")
    told = lexicons.lexicon_options(w, PAIR)
    own = w.config["lexicon_induction"]
    assert {name: told[name] for name in own} == own
    assert (told["identical"], told["max_vocabulary"]) == (["kept", "dropped"], 200000)
    assert told["dictionary"] == ["results/tiny/corpora/dictionaries/ana-ber.world/test.txt"]
