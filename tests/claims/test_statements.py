import re
from itertools import product
from pathlib import Path

import pytest
import yaml

from crosslingua.claims.statements import Comparison, Region, read_claims
from crosslingua.errors import InputError
from judged import ROOT, claims_of

SCHEMA = ROOT / "schemas/claims.schema.yaml"
# The systems of joint_align's tables 1 and 2, with the mapper added beyond the paper, and the stages of figure 1.
BLI = {
    "procrustes", "muse", "vecmap", "iterative_norm", "rcsls", "geomm", "duong", "joint", "joint_replace",
    "joint_vr", "joint_ar_rcsls", "joint_ar_geomm", "joint_ar_muse",
    "joint_align_muse", "joint_align_geomm", "joint_align_rcsls", "joint_align_procrustes",
    *(f"quarter_of_{one}" for one in ("procrustes", "iterative_norm", "rcsls", "geomm", "muse", "vecmap")),
    *(f"{gain}_{one}" for gain in ("gain", "gain_without_reallocation") for one in ("rcsls", "geomm", "muse")),
}  # fmt: skip
STAGES = {"joint", "reallocated", "refined"}
TRANSFER = {  # align_mlm's table 3, and its ablations
    "mlm", "xlm", "dict_mlm", "align_mlm", "xlm_parallel_1", "xlm_parallel_10", "xlm_parallel_100",
    "dict_mlm_dictionary_50", "align_mlm_dictionary_50", "xlm_overlap_25", "xlm_overlap_50",
    "align_mlm_alpha_1", "align_mlm_alpha_100",
}  # fmt: skip
# The rows of xlm_align's table 2 and, with a place among the layers, the lines of its figure 2.
ALIGNED = {
    "fast_align",
    *(f"{aligner}+{name}" for aligner in ("simalign_argmax", "simalign_itermax", "optimal_transport")
      for name in ("xlmr", "xlm_align")),
    *(f"optimal_transport+{name}@{place}" for name in ("xlmr", "xlm_align") for place in ("first", "middle", "last")),
}  # fmt: skip
# The systems of joint_align's figure 2, and of the first and last quarter of its epochs.
TRANSLATED = set(map("".join, product(("align", "joint", "joint_align", "duong"), ("", "@first", "@last"))))
ENTITIES = {  # joint_align's table 3, and the gains of refinement and of tuned vectors
    "align", "joint", "joint_align", "mbert_finetune", "mbert_feature", "mbert_feature_align", "xlm_finetune",
    "refinement_static", "refinement_contextual", "tuning_joint", "tuning_align",
}  # fmt: skip
# The systems of mbert_align's table 3, and those at a class of distance.
ALIGNED_ENCODERS = {
    "mbert", "rotate_dict", "norm_rotate_dict", "rotate_parallel", "norm_rotate_parallel", "finetune_tgt_to_src",
    "finetune_src_to_tgt", "target_language",
}  # fmt: skip
CENTRED = {"centring_dict", "centring_parallel"}
GAINS = set(map("@".join, product(ALIGNED_ENCODERS | CENTRED, ("close", "moderate", "distant"))))
# The systems of laser_taggers' tables.
BASELINES = ("bpe_bow", "bpe_gru", "muse")
EMBEDDED = {
    *BASELINES, "laser_top", "laser_elmo", "lstm_no_pretraining", "bert", "xlm",
    *(f"{name}_laser_recipe" for name in BASELINES),
}  # fmt: skip
XTREME = {  # xlm_align's table 1, and its tables 3 to 7
    "mbert", "xlm", "mt5", "xlmr", "xlm_align", "xlmr_mlm", "no_dwa", "no_tlm", "labelling_layer_1",
    "labelling_layer_8", "labelling_layer_12", "query_layer_1", "query_layer_8", "query_layer_10", "no_filter",
    "unmasked", "all_aligned",
}  # fmt: skip
KNOWN = {
    "translation": TRANSLATED,
    "precision": BLI, "shared_words": STAGES, "closeness": STAGES, "delta": TRANSFER,
    "cost_of_inversion": TRANSFER, "alignment": TRANSFER,
    "alignment_lost_by_inversion": TRANSFER, "correlation": {"alignment_with_transfer"},
    "alignment_error": ALIGNED, "alignment_error_by_layer": ALIGNED,
    "reduction_of_alignment_error": {"last_layers", "earlier_layers"}, "entities": ENTITIES,
    "lead_by_task": {"alignment_in_lexicons", "alignment_in_entities", "joint_in_translation"},
    "tagging_f1": ALIGNED_ENCODERS, "f1_by_distance": {"mbert"}, "gain_by_class": GAINS,
    "tuning_over_rotation": {"ner", "slots", "slots_untranslated"}, "separation_by_distance": {"mbert"},
    "zero_shot": TRANSFER | EMBEDDED | {"bert_or_laser_top"},
    **dict.fromkeys(
        ("distant", "source_score", "monolingual", "drop", "distance", "hungarian_over_basque", "joint", "joint_gain",
         "distant_joint_gain", "significance", "detection", "ambiguous_recall", "training_score", "highest"), EMBEDDED
    ),
    **dict.fromkeys(("xtreme", "xtreme_f1", "xtreme_transfer", "xtreme_ablation"), XTREME),
    "xtreme_token_level": {"xlm_align"},
}  # fmt: skip


def write(tmp_path: Path, **changes) -> Path:
    claim = {
        "claim": "one", "source": "table 1", "statement": "It is so.", "test": "It is above 0.",
        "measure": "precision", "comparisons": [{"of": ["a", "b"], "over": ["c", "d"]}, {"of": ["e"]}],
        "holds": {"above": 0},
    }  # fmt: skip
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump({"paper": "joint_align", "claims": [claim | changes]}))
    return path


@pytest.mark.parametrize("paper", ["joint_align", "xlm_align", "align_mlm", "mbert_align", "laser_taggers"])
def test_the_papers_claims_follow_the_schema_and_name_known_systems(paper: str) -> None:
    claims = claims_of(paper)
    assert len(claims) >= 7
    for claim in claims.values():
        named = {name for comparison in claim.comparisons for name in comparison.systems}
        assert claim.paper == paper
        assert named <= KNOWN[claim.measure], claim.claim
        assert claim.needs <= named, claim.claim


def test_lists_of_systems_are_compared_each_with_each(tmp_path: Path) -> None:
    (claim,) = read_claims(write(tmp_path), SCHEMA)
    assert claim.comparisons == (
        Comparison("a", "c"), Comparison("a", "d"), Comparison("b", "c"), Comparison("b", "d"), Comparison("e"),
    )  # fmt: skip
    assert (claim.holds, claim.words, claim.pairs) == (Region(above=0), "all", "mean")
    assert not claim.needs


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hold": {"above": 0}}, "unknown key claims.0.hold"),
        ({"holds": {"above": 0, "below": 2}}, "claims.0.holds"),
        ({"comparisons": []}, "claims.0.comparisons"),
        (
            {"measure": "precison"},
            "measure 'precison' is none of precision, closeness; did you mean 'precision'",
        ),
        ({"words": "not_shared"}, "one: words 'not_shared' is none of all, own"),
    ],
)
def test_a_bad_claim_is_refused_with_its_place(tmp_path: Path, changes, message) -> None:
    path, measures = write(tmp_path, **changes), {"precision": ("all", "own"), "closeness": ("all",)}
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_claims(path, SCHEMA, measures)
    assert str(path) in str(caught.value)


def test_a_claim_says_what_would_contradict_it(tmp_path: Path) -> None:
    (claim,) = read_claims(write(tmp_path, pairs="each", holds={"below": 1.5}), SCHEMA)
    assert claim.falsified_by == (
        "Contradicted by an interval of any of the 5 comparisons that is wholly 1.5 or more, in any pair."
    )


def test_a_name_may_occur_once(tmp_path: Path) -> None:
    path = write(tmp_path)
    content = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump(content | {"claims": content["claims"] * 2}))
    with pytest.raises(InputError, match="two claims are called 'one'"):
        read_claims(path, SCHEMA)
