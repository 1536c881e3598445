"""Jobs of lexicon induction."""

from __future__ import annotations

from configurations import Opener, planned
from crosslingua.workflow import lexicons
from crosslingua.workflow.workflow import LexiconPair

PAIR = LexiconPair("ana", "ber", "world")
EMBEDDINGS = "results/tiny/word_embeddings"
MAPPED = "results/tiny/embedding_alignment/ana-ber.world"


def test_inducing_a_lexicon_is_a_cell_a_system_variant_and_seed(opened: Opener) -> None:
    w = opened("tiny")
    folder = "results/tiny/lexicon_induction/ana-ber.world/joint_ar_rcsls"
    cells = planned(lexicons.lexicon_plan(w, "supervised", ["joint_ar_rcsls", "duong"], PAIR))
    assert cells[:4] == [
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
    assert (cells[4]["source"], cells[4]["mapping"]) == (
        f"{EMBEDDINGS}/duong/ana-ber.world/seed1.source.vec",
        "",
    )
    kinds = lexicons.judged(w)
    assert {"muse", "joint", "joint_vr", "joint_align_identity"} <= set(kinds["unsupervised"])
    assert {"procrustes", "duong", "joint_align_rcsls"} <= set(kinds["supervised"])
    told = lexicons.lexicon_options(w, PAIR)
    own = w.config["lexicon_induction"]
    assert {name: told[name] for name in own} == own
    assert (told["identical"], told["max_vocabulary"]) == (["kept", "dropped"], 200000)
    assert told["dictionary"] == ["results/tiny/corpora/dictionaries/ana-ber.world/test.txt"]
