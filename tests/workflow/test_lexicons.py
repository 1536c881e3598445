"""Jobs of lexicon induction."""

from __future__ import annotations

from pathlib import PurePath

from configurations import Opener, planned
from crosslingua.workflow import lexicons
from crosslingua.workflow.workflow import LexiconPair

PAIR = LexiconPair("ana", "ber", "world")
EMBEDDINGS = "results/tiny/word_embeddings"
MAPPED = "results/tiny/embedding_alignment/ana-ber.world"


def test_inducing_a_lexicon_is_a_cell_a_system_variant_and_seed(opened: Opener) -> None:
    w = opened("tiny")
    folder = "results/tiny/lexicon_induction/ana-ber.world/supervised/joint_ar_rcsls"
    cells = planned(lexicons.lexicon_plan(w, "supervised", PAIR))
    assert [cell for cell in cells if "/joint_ar_rcsls/" in cell["out"]] == [
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
    duong = next(cell for cell in cells if "/duong/" in cell["out"])
    assert (duong["source"], duong["mapping"]) == (f"{EMBEDDINGS}/duong/ana-ber.world/seed1.source.vec", "")
    others = planned(lexicons.lexicon_plan(w, "unsupervised", PAIR))
    judged = [{PurePath(cell["out"]).parent.name for cell in found} for found in (cells, others)]
    assert {"procrustes", "duong", "joint_align_rcsls"} <= judged[0]
    assert {"muse", "joint", "joint_vr", "joint_align_identity"} <= judged[1]
    assert judged[0] | judged[1] == set(w.systems)
    assert lexicons.lexicon_jobs(cell["out"] for cell in cells) == [str(PurePath(folder).parent)]
    told = lexicons.lexicon_options(w, PAIR)
    own = w.config["lexicon_induction"]
    assert {name: told[name] for name in own} == own
    assert (told["identical"], told["max_vocabulary"]) == (["kept", "dropped"], 200000)
    assert told["dictionary"] == ["results/tiny/corpora/dictionaries/ana-ber.world/test.txt"]
