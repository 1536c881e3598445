"""Which LASER a configuration asks for."""

import pytest

from configurations import Opener, job, lines
from crosslingua.errors import ConfigError
from crosslingua.workflow import encoders
from crosslingua.workflow.runs import (
    laser_bitext,
    laser_languages,
    laser_test,
    published_laser,
    tokenisers,
    trained_laser,
)

NOT_TRAINED = dict.fromkeys(("pivots", "bitext", "test", "vocabulary_size", "settings"))


@pytest.mark.parametrize(("scale", "pivots"), [("", ["ana", "ber"]), ("small", ["en", "de"])])
def test_the_demo_and_small_train_their_own(opened: Opener, scale: str, pivots: list[str]) -> None:
    w = opened(scale)
    assert trained_laser(w)["pivots"] == pivots
    assert published_laser(w) == {}
    assert tokenisers(w)["laser"].languages == laser_languages(w)


def test_the_paper_takes_the_published_one_of_three_files_without_a_tokeniser(opened: Opener) -> None:
    w = opened("paper")
    assert trained_laser(w) is None
    assert published_laser(w) == {
        "checkpoint": "data/laser-93langs/bilstm.93langs.2018-12-26.pt",
        "codes": "data/laser-93langs/93langs.fcodes",
        "vocabulary": "data/laser-93langs/93langs.fvocab",
    }
    assert "laser" not in tokenisers(w)
    assert encoders.laser_encoders(w) == ["results/paper/encoders/laser/seed1"]
    with pytest.raises(ConfigError, match="no job of this configuration makes that"):
        job(w, "train_laser/laser")


def test_a_scale_may_have_none(opened: Opener) -> None:
    w = opened(change={"papers": ["joint_align"], "encoders": {"laser": None}})
    assert (trained_laser(w), published_laser(w), encoders.laser_encoders(w)) == (None, {}, [])


def test_training_reads_the_bitext_and_is_tested_on_gold_alignments(opened: Opener) -> None:
    change = {
        "encoders": {
            "tagged": None,
            "laser": {"bitext": ["ana-ber", "cor-ber"], "test": ["ana-ber"], "settings": None},
        }
    }
    w = opened(change=change)
    corpora = "results/demo/corpora"
    texts = [f"{corpora}/bitext/ana-ber.ana.txt", f"{corpora}/bitext/ana-ber.ber.txt"]
    others = [f"{corpora}/bitext/cor-ber.cor.txt", f"{corpora}/bitext/cor-ber.ber.txt"]
    tests = [f"{corpora}/gold_alignment/ana-ber.ana.txt", f"{corpora}/gold_alignment/ana-ber.ber.txt"]
    training = job(w, "train_laser/laser")
    assert lines(w, "train_laser/laser") == [
        {
            "bitext": f"ana-ber={','.join(texts)} cor-ber={','.join(others)}",
            "test": f"ana-ber={','.join(tests)}",
        }
    ]
    assert training.files() == [*texts, *others, *tests]
    assert training.named == {"tokeniser": "results/demo/encoders/tokenisers/laser"}
    assert training.options == {"pivots": ["ana", "ber"], "set": ["device=cpu"], "threads": 1}
    assert encoders.laser_encoders(w) == [f"results/demo/encoders/laser/seed{seed}" for seed in (1, 2)]


@pytest.mark.parametrize(
    ("pivots", "named", "bitext", "test"),
    [
        (["ana", "ber"], None, ["ana-ber", "ana-cor", "ana-dax"], ["ana-ber", "ana-cor", "ana-dax"]),
        (["ber"], None, ["ana-ber"], ["ana-ber"]),
        (["ana"], ["ana-dax", "ana-cor"], ["ana-dax", "ana-cor"], ["ana-cor", "ana-dax"]),
    ],
)
def test_without_a_list_it_reads_the_pairs_that_have_a_pivot_and_is_tested_on_what_it_reads(
    opened: Opener, pivots: list[str], named: list[str] | None, bitext: list[str], test: list[str]
) -> None:
    w = opened(change={"encoders": {"laser": {"pivots": pivots, "bitext": named, "test": None}}})
    assert (laser_bitext(w), laser_test(w)) == (bitext, test)


def test_the_first_bitext_for_training_and_gold_of_either_order_are_taken(opened: Opener) -> None:
    change = {"pairs": ["de-en", "en-fr"], "encoders": {"laser": {"bitext": None, "test": None}}}
    w = opened("small", change | {"joint_align": {"induced": None, "figure1": None}, "papers": ["xlm_align"]})
    assert laser_bitext(w) == ["en-de", "en-fr"]
    assert laser_test(w) == ["de-en", "en-fr"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"published": "laser-93langs"},
            "published and pivots, bitext, vocabulary_size, settings are given.*set these to null",
        ),
        (
            NOT_TRAINED | {"published": "laser-93langs", "pivots": ["ana"]},
            "pivots are given.*set this to null",
        ),
        (
            {**NOT_TRAINED, "published": "laser"},
            r"encoders.laser.published: 'laser' is not .*\(laser-93langs\)",
        ),
        ({**NOT_TRAINED, "published": "squad"}, "'squad' is not defined"),
        (NOT_TRAINED, "pivots, vocabulary_size null: say how to train it"),
        ({"pivots": ["xyz"]}, "encoders.laser.pivots: 'xyz' is not defined under encoders.laser.bitext"),
        (
            {"bitext": None, "pivots": ["eno"]},
            "encoders.laser.bitext: there is none, of no pair with a pivot",
        ),
        ({"bitext": ["pair", "ana-ber"]}, r"encoders\.laser\.bitext\.0: 'pair' does not match"),
        ({"bitext": ["ana-xyz"]}, "encoders.laser.bitext: 'ana-xyz' is not defined under bitext"),
        ({"test": ["ana-xyz"]}, "encoders.laser.test: 'ana-xyz' is not defined under gold alignments"),
    ],
)
def test_a_wrong_choice_is_told_with_its_key(opened: Opener, change: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        opened(change={"encoders": {"laser": change}})
