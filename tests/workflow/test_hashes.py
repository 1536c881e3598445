"""Hashes of configuration: a change moves the hashes of its dependents and no others; seeds move none."""

import re
from collections import defaultdict
from collections.abc import Mapping

import pytest

from configurations import Opener, rows
from crosslingua.workflow import lexicon_induction
from crosslingua.workflow.configuration import open_workflow
from crosslingua.workflow.vectors import all_systems
from crosslingua.workflow.workflow import Workflow

NAMED = ("system", "source", "target", "task", "conditions", "seed", "table", "metrics")


def hashes(w: Workflow, paper: str) -> dict[tuple, str]:
    """The hash of every row of a paper."""
    return {tuple(row[name] for name in NAMED): row["config_hash"] for row in rows(w, paper)}


PLANNED: dict[str, Workflow] = {}


def planned(opened: Opener, scale: str) -> Workflow:
    """A scale as it is, planned once."""
    return PLANNED.get(scale) or PLANNED.setdefault(scale, opened(scale))


def differing(before: Mapping, after: Mapping, column: int = 0, task: str = "") -> set[str]:
    """A column (the systems, at first) of the rows of which the hash differs, of a task or any."""
    return {key[column] for key in before if before[key] != after.get(key) and task in ("", key[3])}


def moved(opened: Opener, paper: str, change: Mapping, task: str = "") -> set[str]:
    """The systems of which a change moves a hash, of a task or any."""
    before, after = hashes(planned(opened, "tiny"), paper), hashes(opened("tiny", change), paper)
    assert before.keys() == after.keys()
    return differing(before, after, task=task)


MAPPED = ("muse", "identity", "geomm", "rcsls", "procrustes")
REALLOCATED = {"joint_vr", *(f"joint_align_{mapper}" for mapper in MAPPED)}


def framework(mapper: str) -> set[str]:
    """The systems that map with a mapper."""
    return {mapper, f"joint_ar_{mapper}", f"joint_align_{mapper}"}


@pytest.mark.parametrize(("change", "systems"), [
    ({"vocabulary_reallocation": {"gamma": [0.6, 0.65]}}, REALLOCATED),
    ({"mappers": {"muse": {"lr": 3}}}, {*framework("muse"), "joint_align_identity"}),
    ({"mappers": {"rcsls": {"niter": 3}}}, framework("rcsls")),
    ({"joint_align": {"search": {"geomm": {"l2_reg": [1, 2]}}}}, framework("geomm")),
    ({"joint_align": {"search": {"duong": {"delta": [9]}}}}, {"duong"}),
    ({"joint_align": {"systems": {"vecmap": {"settings": {"vocabulary_cutoff": 7}}}}}, {"vecmap"}),
    ({"joint_replace": {"probability": 0.1}}, {"joint_replace"}), ({"duong": {"window": 2}}, {"duong"}),
    ({"world": {"text": {"cor": 5}}}, set()), ({"encoders": {"settings": {"steps": 30}}}, set()),
    ({"data": {"seed": 9}, "world": {"bitext": 9}}, set()),
])  # fmt: skip
def test_lexicon_induction(opened: Opener, change: Mapping, systems: set[str]) -> None:
    assert moved(opened, "joint_align", change, "bli") == systems


@pytest.mark.parametrize("change", [
    {"world": {"text": {"ber": 2999}}}, {"world": {"seed": 2}}, {"text": {"max_tokens": 20}},
    {"word_embeddings": {"dim": 15}}, {"lexicon_induction": {"neighbours": 9}},
])  # fmt: skip
def test_what_every_lexicon_depends_on(opened: Opener, change: Mapping) -> None:
    without_controls = moved(opened, "joint_align", change, "bli") - {lexicon_induction.UPPER_LINE}
    assert without_controls == set(all_systems(opened("tiny")))


def test_the_mapper_under_which_gamma_is_chosen_counts_with_its_settings(opened: Opener) -> None:
    found = moved(opened, "joint_align", {"mappers": {"procrustes": {"normalise": "unit"}}})
    assert {"procrustes", "joint_ar_procrustes", "joint_align_geomm"} <= found
    assert not {"muse", "joint", "joint_vr", "duong", "geomm"} & found  # gamma of joint_vr is chosen by MUSE


def test_how_a_dictionary_is_divided_counts_where_it_is_divided_here(opened: Opener) -> None:
    change = {"dictionaries": {"validation_share": 0.2}}
    assert not moved(opened, "joint_align", change)  # the world has a share of its own
    before, after = (hashes(w, "joint_align") for w in (planned(opened, "real"), opened("real", change)))
    assert differing(before, after, task="bli") >= {"joint", "geomm"}


TEXT, STATIC, ENCODER = "fast_align", "optimal_transport+procrustes", "optimal_transport+xlmr"


@pytest.mark.parametrize(("change", "systems"), [
    ({"word_embeddings": {"dim": 15}}, {STATIC}), ({"xlm_align": {"training": {"ana-ber": []}}}, {TEXT}),
    ({"world": {"bitext": 299}}, {TEXT}), ({"world": {"gold_alignment": 49}}, {TEXT, STATIC, ENCODER}),
    ({"text": {"lowercase": False}}, {TEXT, STATIC}),  # encoders read text with its case
    ({"encoders": {"settings": {"hidden": 64}}}, {ENCODER}),
    ({"encoders": {"multilingual": {"vocabulary_size": 501}}}, {ENCODER}),
    ({"encoders": {"threads": 2}}, {ENCODER}),
    ({"encoders": {"multilingual": {"members": {"xlm": {"settings": {"steps": 21}}}}}}, set()),
    ({"align_mlm": {"vocabulary_size": 301}}, set()),
])  # fmt: skip
def test_word_alignment(opened: Opener, change: Mapping, systems: set[str]) -> None:
    found = moved(opened, "xlm_align", change)
    assert {name for name in found if name.startswith(("fast_align", "optimal_transport"))} == systems


def test_an_encoder_depends_on_what_it_begins_with_and_on_its_bitext(opened: Opener) -> None:
    base = {"xlm_align": {"encoders": {"xlmr": None, "xlm_align": {"layer": 1, "layers": [1]}}}}
    before = hashes(opened("tiny", base), "xlm_align")
    other_rate = {"encoders": {"multilingual": {"members": {"xlmr": {"settings": {"lr": 0.5}}}}}}
    for change in (other_rate, {"world": {"bitext": 299}}):
        after = hashes(opened("tiny", base | change), "xlm_align")
        assert "optimal_transport+xlm_align" in differing(before, after)


def test_a_published_encoder_is_its_name_and_revision(opened: Opener) -> None:
    def member(**entry: str) -> dict:
        return {"encoders": {"multilingual": {"members": {"xlmr": entry}}}}

    before = hashes(opened("tiny", member(pretrained="a/b")), "xlm_align")
    same = hashes(opened("tiny", member(pretrained="a/b") | {"word_embeddings": {"ws": 4}}), "xlm_align")
    other = hashes(opened("tiny", member(pretrained="a/b", revision="v2")), "xlm_align")
    key = next(key for key in before if key[0] == ENCODER)
    assert before[key] == same[key] != other[key]


PRE_TRAINED = {"mlm", "align_mlm", "align_mlm_dictionary_50", "align_mlm_steps_30", "untrained"}


@pytest.mark.parametrize(("change", "systems"), [
    ({"align_mlm": {"vocabulary_size": 301}}, PRE_TRAINED),
    ({"align_mlm": {"systems": {"mlm": {"settings": {"steps": 9}}}}}, {"mlm"}),
    ({"derived": {"script": "vai"}}, PRE_TRAINED),
    ({"word_embeddings": {"dim": 15}, "world": {"tasks": {"slots": [9, 9, 9]}}}, set()),
])  # fmt: skip
def test_transfer(opened: Opener, change: Mapping, systems: set[str]) -> None:
    assert moved(opened, "align_mlm", change) == systems


def test_a_tasks_settings_move_its_own_rows_only(opened: Opener) -> None:
    before = hashes(planned(opened, "tiny"), "align_mlm")
    after = hashes(opened("tiny", {"align_mlm": {"tasks": {"pos": {"epochs": 9}}}}), "align_mlm")
    assert (differing(before, after), differing(before, after, 3)) == (PRE_TRAINED, {"pos"})


def test_a_word_order_counts_where_it_is_taken(opened: Opener) -> None:
    plain = {"align_mlm": {"transformations": {"trans_syn": "ana_trans_syn"}, "tasks": {"pos": None}}}
    sizes = plain | {"world": {"tasks": {"pos": [500, 100, 200]}}}
    before, after = hashes(opened("tiny", plain), "align_mlm"), hashes(opened("tiny", sizes), "align_mlm")
    assert differing(before, after, 2) == {"trans_syn"}


@pytest.mark.parametrize("scale", ["tiny", "", "real"])
def test_rows_share_a_hash_where_their_scores_differ_in_seeds_alone(opened: Opener, scale: str) -> None:
    w = planned(opened, scale)
    scores, found = defaultdict(set), defaultdict(set)
    for row in (row for paper in w.papers for row in rows(w, paper)):
        score = re.sub(r"\bseed\d+\b", "", f"{row['score']} {row['less']}")
        scores[row["config_hash"]].add(score)
        found[score].add(row["config_hash"])
    assert {len(several) for several in (*scores.values(), *found.values())} == {1}


def test_more_seeds_change_no_hash(opened: Opener) -> None:
    more = opened("tiny", {"seeds": [1, 2, 3], "encoders": {"seeds": [1, 2, 3], "tagged": None}})
    for paper in more.papers:
        before, after = hashes(planned(opened, "tiny"), paper), hashes(more, paper)
        assert before.items() <= after.items()
        assert len(after) > len(before)


def test_names_of_folders_change_no_hash(opened: Opener) -> None:
    own = opened.folder / "mine.yaml"
    own.write_text("scale: mine\n")
    config = opened.merged(change={"scale": "mine", "data": {"folder": "downloads"}})
    w = open_workflow(config, ["config.yaml", own])
    for paper in w.papers:
        assert hashes(planned(opened, ""), paper) == hashes(w, paper)


@pytest.mark.parametrize(("paper", "fewer"), [
    ("mbert_align", {"mbert_align": {"transfer": {"ner": {"ana": ["ber"]}}}}),
    ("xlm_align", {"xlm_align": {"encoders": {"xlmr": {"layers": []}}}}),
    ("joint_align", {"joint_align": {"systems": {"rcsls": None, "joint_replace": None}}}),
    ("align_mlm", {"align_mlm": {"tasks": {"pos": None}}}),
])  # fmt: skip
def test_what_is_left_out_changes_no_hash_of_others(opened: Opener, paper: str, fewer: Mapping) -> None:
    before, after = hashes(planned(opened, ""), paper), hashes(opened(change=fewer), paper)
    assert after.items() < before.items()


def test_only_what_is_chosen_on_all_languages_depends_on_which_there_are(opened: Opener) -> None:
    fewer = {"xlm_align": {"xtreme": {"languages": ["ana", "ber"]}}}
    before, after = (hashes(one, "xlm_align") for one in (planned(opened, ""), opened(change=fewer)))
    assert differing(after, before, 3) == {"pos"}  # which has a grid
