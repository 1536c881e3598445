"""Jobs of corpora: text, dictionaries, labelled data, parallel text, derived languages; constraints of wildcards."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from configurations import Opener
from crosslingua.corpora.datasets.readers import DICTIONARY_READERS
from crosslingua.errors import ConfigError
from crosslingua.tasks import kinds
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow import corpora, labelled, text
from crosslingua.workflow.jobs import Jobs
from crosslingua.workflow.workflow import Workflow

DEMO, REAL = "results/demo/corpora", "results/real/corpora"
SPLITS = ("train", "valid", "test")
STAGES = (
    corpora.text_jobs, corpora.dictionary_jobs, corpora.labelled_jobs, corpora.derivation_jobs, corpora.parallel_jobs,
)  # fmt: skip


def every(w: Workflow) -> Jobs:
    return Jobs(job for stage in STAGES for job in stage(w))


def before(constraint: str, path: str) -> bool:
    """Whether a constraint of {task} is met by the path that follows."""
    return re.match(f"({constraint})/", path) is not None


def test_what_the_world_tells(opened: Opener) -> None:
    jobs = every(opened())
    prepared = jobs["prepare_text/ana"]
    assert prepared.lines == [{"input": [f"{DEMO}/world/ana.txt"], "without": []}]
    assert prepared.options["tokeniser"] == "none"
    told = {"languages": "world.yaml", "seed": 1, "language": "ana", "sentences": 40000}
    assert jobs["generate_world/text/ana"].options == told
    assert jobs["generate_world/text/ana"].files() == ["world.yaml"]
    assert jobs["count_words/ana"].files() == [f"{DEMO}/text/ana.txt"]
    told = {"languages": "world.yaml", "seed": 1, "language": "ber", "split": list(SPLITS)}
    plain, translated = (jobs[f"generate_world/{name}"] for name in ("ner/ber", "slots/ber_translated"))
    assert plain.options == told | {"variant": None, "sentences": [1500, 300, 600]}
    assert translated.options == told | {"variant": "translated", "sentences": [2000, 300, 600]}
    assert translated.members == ["crosslingua.corpora.world.slots"]
    for task, sentences, split in (("bitext", 10000, None), ("gold_alignment", 500, "test")):
        pair = jobs[f"generate_world/{task}/ana-ber"].options
        assert (pair["sentences"], pair["split"], pair["source"]) == (sentences, split, "ana")
    tags, trees = jobs["prepare_labelled/pos/ana.valid"], [f"{DEMO}/pos/ana.valid.conllu"]
    assert tags.options == {"task": "pos", "language": "ana", "input": trees, "format": "conllu"}
    assert tags.files() == trees


def test_published_text_is_read_by_its_format(opened: Opener) -> None:
    real, paper = every(opened("real")), opened("paper")
    files = [f"data/multi30k-task2/train.{i}.de.gz" for i in range(1, 6)]
    assert real["prepare_text/de.captions"].lines[0]["input"] == files
    assert real["prepare_text/fr.translated"].options["format"] == "lines"
    wikitext = real["prepare_text/eng.wiki"].options
    assert (wikitext["member"], wikitext["tokeniser"]) == ("wikitext-2/wiki.train.tokens", "whitespace")
    assert wikitext["split_sentences"]
    chinese = every(paper)["prepare_text/zh"]
    assert chinese.files() == ["data/wikipedia/zhwiki.xml.bz2", *text.leave_out(paper, "zh")]
    assert chinese.options["format"] == paper.datasets["wikipedia"].format != "lines"
    assert chinese.options["split_sentences"]
    assert chinese.members != real["prepare_text/en"].members


def test_a_text_in_parts_is_made_of_them_as_they_were_prepared_each_in_its_own_way(opened: Opener) -> None:
    w = opened("real")
    jobs = every(w)
    for case in ("", "_cased"):
        files = [f"{REAL}/text{case}/es.{part}.txt" for part in ("news", "tatoeba")]
        # the parts are without what is held out
        assert jobs[f"prepare_text/es{case}"].lines == [{"input": files, "without": []}]
    whole = {"tokeniser": "none", "deduplicate": True, "language": "es"}
    assert jobs["prepare_text/es"].options == dict(w.config.text) | {"part": None} | whole
    part = jobs["prepare_text/es.tatoeba"]
    assert f"{REAL}/bitext/en-es.newstest2013.es.txt" in part.lines[0]["without"]
    assert part.options.items() >= {"format": "lines", "member": "spa-eng/spa.txt", "column": 2}.items()
    assert jobs["prepare_text/es.news"].lines[0]["input"][0] == "data/newstest-enes/news-test2008.spa"
    for part, form in (("eng.wiki", "wikitext_csv"), ("eng.reuters", "conll2003")):
        told = jobs[f"prepare_text/{part}_cased"].options
        assert (told["format"], told["min_tokens"], told["max_tokens"]) == (form, 5, 20)
    assert jobs["prepare_text/en.wiki"].options["max_tokens"] == 200


def test_a_star_stands_for_the_files_of_a_data_set(opened: Opener) -> None:
    w = opened("real")
    (line,) = every(w)["prepare_text/en.novels_cased"].lines
    assert len(line["input"]) == 45
    assert line["without"] == text.leave_out(w, "en.novels")
    with pytest.raises(ConfigError, match=r"no file of eltec-eng is like \*.txt: it has ENG"):
        opened("real", opened.with_sheet("text\tsw\teltec-eng\t*.txt"))


def test_your_own_text_has_the_tokeniser_that_you_name(opened: Opener) -> None:
    w = opened(change={"languages": {"sw": {"path": "my text.gz", "tokeniser": "whitespace"}}})
    job = every(w)["prepare_text/sw"]
    own = {"tokeniser": "whitespace", "language": "sw"}
    own |= {"format": "lines", "split_sentences": False, "member": None}
    assert (job.files(), job.options) == (["my text.gz"], dict(w.config.text) | {"part": None} | own)


def test_encoders_read_text_with_its_case(opened: Opener) -> None:
    w = opened()
    assert text.text_of(w, "ana") == f"{DEMO}/text/ana.txt"
    assert text.text_of(w, "ana", cased=True) == f"{DEMO}/text_cased/ana.txt"
    jobs = every(w)
    plain, cased = (dict(jobs[f"prepare_text/ana{case}"].options) for case in ("", "_cased"))
    assert plain.items() >= (dict(w.config.text) | {"part": None}).items()
    assert cased == plain | {"lowercase": False}
    assert "prepare_text/eno_cased" not in jobs  # no encoder reads it


def test_word_vectors_read_a_part_of_a_text_and_encoders_all_of_it(opened: Opener) -> None:
    jobs = every(opened("real", {"text": {"part": {"en": "2/3"}}}))
    assert jobs["prepare_text/en"].options["part"] == "2/3"
    for whole in ("en_cased", "en.wiki", "fr"):
        assert jobs[f"prepare_text/{whole}"].options["part"] is None


@pytest.mark.parametrize(("scale", "name", "origin", "file"), [
    ("real", "muse_full", "muse-full", "en-de.dict"), ("paper", "muse", "muse", "en-de.5000-6500.txt"),
])  # fmt: skip
def test_a_dictionary_is_a_file_of_the_pair(opened: Opener, scale, name, origin, file) -> None:
    w = opened(scale)
    job, form = every(w)[f"prepare_dictionary/en-de.{name}"], w.datasets[origin].format
    assert (job.options["test"], job.options["format"]) == (f"data/{origin}/{file}", form)
    assert job.options["test"] in job.files()
    assert job.members == [DICTIONARY_READERS.module(form)]


def test_your_own_dictionary_is_a_file_for_each_pair_either_way(opened: Opener) -> None:
    files = {"train": "mine/{source}-{target}.txt", "test": "mine/{target}.{source}"}
    w = opened(change={"dictionaries": files})
    jobs = every(w)
    told = jobs["prepare_dictionary/ana-ber.own"].options
    assert (told["train"], told["test"]) == ("mine/ana-ber.txt", "mine/ber.ana")
    assert (told["languages"], told["format"]) == (["ana", "ber"], "muse")
    assert jobs["prepare_dictionary/ber-ana.own"].options["train"] == "mine/ber-ana.txt"
    assert text.dictionary_folder(w, "ana-ber.own") == f"{DEMO}/dictionaries/ana-ber.own"
    world = jobs["generate_world/dictionaries/ana-ber.world_55"].options
    assert (world["share"], world["source"], world["target"]) == (0.55, "ana", "ber")


def test_what_is_fetched_is_the_text_of_the_pairs_and_their_dictionaries(opened: Opener) -> None:
    assert text.fetched_text(opened()) == []
    french = {"pairs": ["en-fr"], "joint_align": {"translation": None}}
    real = text.fetched_text(opened("real", french))
    files = ["multi30k-task1/train.fr.gz", "manythings/fra-eng.zip", "muse-full/en-fr.dict"]
    files += [f"multi30k-task2/train.{i}.en.gz" for i in range(1, 6)]
    assert set(real) >= {f"data/{file}" for file in files}
    assert not any(".de" in file or "eltec-deu" in file for file in real)
    own = {"languages": {"sw": {"path": "sw.txt"}}, "pairs": ["sw-ana"], "papers": ["joint_align"]}
    own["dictionaries"] = {"train": "{source}.{target}", "test": "{target}.{source}"}
    assert text.fetched_text(opened(change=own)) == []
    derived = opened("real", {"pairs": ["eng-eng_trans"], "papers": ["align_mlm"]})
    assert text.fetched_text(derived) == ["data/conll2003/conll2003.zip", "data/wikitext-2/wikitext-2-v1.zip"]


def test_each_set_is_made_in_one_way_and_the_worlds_are_told_before_they_are_read(opened: Opener) -> None:
    demo, real = opened(), opened("real")
    told = ["ner/ana.train.conll", "pos/ana.train.conllu",
            "nli/ber.valid.tsv", "slots/ber_translated.test.conll"]  # fmt: skip
    others = ["pos/ana.train.conll", "ner/ana_trans.train.conll"]
    assert [path for path in (*told, *others) if before(corpora.told_sets(demo), path)] == told
    read = [f"{task}/{name}" for task in KINDS for name in demo.sources.sets[task]]
    read = [name for name in read if before(corpora.read_sets(demo), f"{name}.train.conll")]
    assert read == [f"pos/{name}" for name in ("ana", "ber", "cor", "dax", "eno", "fyr")]
    ways = {"read": corpora.read_sets(real), "told": corpora.told_sets(real)}
    ways["derived"] = corpora.sets_from(real, "derived")
    published = dict.fromkeys(("ner/en", "pos/eng", "qa/en_tydiqa"), "read")
    made = published | dict.fromkeys(("ner/eng_trans", "nli/eng_trans_inv_50"), "derived")
    for name, way in made.items():
        assert [one for one, found in ways.items() if before(found, f"{name}.train.conll")] == [way]


def test_how_a_published_split_is_read(opened: Opener, repository: Path) -> None:
    jobs = every(opened("real", {"data": {"seed": 9}}))
    tags = "data/universal-tagset/universal_tagset.zip"
    table = f"{repository}/src/crosslingua/corpora/labelled/splits.yaml"
    assert jobs["prepare_labelled/pos/eng.test"].files() == ["data/conll2003/conll2003.zip", tags, table]
    assert "conll2002" in Path(table).read_text()
    assert jobs["prepare_labelled/pos/eng.valid"].options == {
        "task": "pos", "language": "en", "dataset": "conll2003", "split": "valid", "data_dir": "data", "seed": 9,
        "universal": tags, "slots_as": None, "take": None,
    }  # fmt: skip
    panx = [
        jobs[f"prepare_labelled/ner/en_panx.{split}"].options.get("take")
        for split in ("train", "valid", "test")
    ]
    assert panx == [None, 1000, 1000]
    german = jobs["prepare_labelled/ner/de.test"].options
    assert (german["dataset"], german["split"], german["universal"]) == ("germeval2014", "valid", None)


def test_another_kind_of_task_is_one_record(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    variants = (("easy", "valid"), ("hard", "train"))
    terms = replace(KINDS["ner"], name="terms", title="Terms", short="terms", variants=variants)
    monkeypatch.setitem(kinds.KINDS, "terms", terms)
    sheet = opened.with_sheet("terms\tsv\tfile\ta.conll\tb.conll\tc.conll\tformat=conll")
    w = opened(change=sheet | {"world": {"tasks": {"terms": [5, 2, 3]}}})
    assert w.sources.sets["terms"]["ber"] == {"from": "world", "train": 5, "valid": 2, "test": 3}
    easy, hard = (w.sources.sets["terms"][f"ber_{variant}"] for variant, _ in variants)
    assert (easy["train"], easy["test"], hard["train"]) == (2, 3, 5)
    assert (hard["variant"], hard["language"]) == ("hard", "ber")
    assert w.sources.origin("terms", "ana_trans") == "derived"
    paths = {path for made in labelled.file_sets(w) if made.task == "terms" for path in made.files}
    assert {"terms/sv.train.conll", "terms/fyr.valid.conll", "terms/ana_trans_syn.test.conll"} <= paths
    assert before(corpora.told_sets(w), "terms/ber.test.conll")
    assert before(corpora.read_sets(w), "terms/sv.test.conll")
    assert before(corpora.sets_from(w, "derived"), "terms/ana_trans.test.conll")
    jobs = every(w)
    assert jobs["generate_world/terms/ber"].members == ["crosslingua.corpora.world.dependencies"]
    read = {"task": "terms", "language": "sv", "input": ["c.conll"], "format": "conll"}
    assert jobs["prepare_labelled/terms/sv.test"].options == read


def test_what_a_kind_is_told_as_is_of_its_record(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """The world's parts of speech come as trees, of which a reader makes the contract's files."""
    told = replace(KINDS["ner"], name="terms", title="Terms", short="terms", told_as="raw")
    monkeypatch.setitem(kinds.KINDS, "terms", told)
    w = opened(change={"world": {"tasks": {"terms": [5, 2, 3]}}})
    assert labelled.world_path("terms", "ber", "test") == "terms/ber.test.raw"
    assert every(w)["prepare_labelled/terms/ber.test"].files() == [f"{w.corpora}/terms/ber.test.raw"]
    assert before(corpora.told_sets(w), "terms/ber.test.raw")
    read = [before(corpora.read_sets(w), f"{task}/ber.test.conll") for task in ("terms", "pos", "ner")]
    assert read == [True, True, False]
    sets = (made for made in labelled.file_sets(w) if (made.task, made.name) == ("terms", "ber"))
    assert "terms/ber.test.conll.report.json" in {made.report for made in sets}


def test_a_derived_language_is_spelled_alike_in_its_text_and_tasks(opened: Opener) -> None:
    jobs, real = every(opened()), every(opened("real"))
    common = {"transform": "trans_inv", "overlap": 0.25, "words": "whitespace", "seed": 1, "script": "hangul"}
    told = {"kind": "text", "input": f"{DEMO}/text/ana.txt", **common, "trees": [], "lowercase_trees": False}
    assert jobs["derive_text/ana_trans_inv_25"].options == told
    assert jobs["derive/ner.ana_trans_inv_25"].options == {"kind": "ner", **common}
    kept = common | {"transform": "trans", "overlap": 0.0}
    assert real["derive/nli.eng_trans"].options == {"kind": "nli", **kept, "words": "punctuation"}
    assert real["derive/ner.eng_trans"].options == {"kind": "ner", **kept}


def test_your_text_takes_its_trees_from_your_file_and_an_order_from_an_archive(opened: Opener) -> None:
    lines = [
        "derived\tx\teng\t\t\t\ttransform=syn order_of=fr trees=eng.conllu",
        "pos\tfr\tud-2.5\ttrain",
    ]
    jobs = every(opened("real", {"data": {"sheets": ["scales/real.tsv", opened.sheet(*lines)]}}))
    assert jobs["derive_text/x"].options["trees"] == ["eng.conllu"]
    assert [line["trees"] for line in jobs["derive/pos.x"].lines] == ["eng.conllu"] * 3
    archive, inside = "data/ud-2.5/ud-treebanks-v2.5.tgz", "UD_French-GSD/fr_gsd-ud-train.conllu"
    assert jobs["train_word_order/fr"].options["input"] == [f"{archive}::ud-treebanks-v2.5/{inside}"]
    assert jobs["train_word_order/fr"].files() == [archive]


def test_a_transformation_of_syntax_needs_an_order_and_trees(opened: Opener) -> None:
    jobs = every(opened())
    order, trees = f"{DEMO}/word_order/cor.json", f"{DEMO}/trees/text/ana.conllu"
    derived, cased = (jobs[f"derive_text{case}/ana_trans_syn"] for case in ("", "_cased"))
    assert derived.files() == [f"{DEMO}/text/ana.txt", order, trees]
    assert (derived.options["trees"], derived.options["order"]) == ([trees], order)
    assert (derived.options["lowercase_trees"], cased.options["lowercase_trees"]) == (True, False)
    assert jobs["derive/pos.ana_trans_syn"].lines[0]["trees"] == f"{DEMO}/pos/ana.train.conllu"
    assert jobs["derive/ner.ana_trans_syn"].lines[2]["trees"] == f"{DEMO}/trees/ner/ana.test.conllu"
    assert jobs["train_word_order/cor"].files() == [f"{DEMO}/pos/cor.train.conllu"]
    assert jobs["derive_text/ana_trans"].files() == [f"{DEMO}/text/ana.txt"]


def test_a_derived_set_is_a_line_a_split(opened: Opener) -> None:
    jobs = every(opened())
    job = jobs["derive/nli.ana_trans_syn"]
    assert job.lines == [
        {"input": f"{DEMO}/nli/ana.{split}.tsv", "out": f"{DEMO}/nli/ana_trans_syn.{split}.tsv",
         "report": f"{DEMO}/nli/ana_trans_syn.{split}.tsv.report.json",
         "trees": f"{DEMO}/trees/nli/ana.{split}.conllu"}
        for split in SPLITS
    ]  # fmt: skip
    read = {line[name] for line in job.lines for name in ("input", "trees")}
    assert set(job.files()) == read | {f"{DEMO}/word_order/cor.json"}
    assert {line["trees"] for line in jobs["derive/nli.ana_trans"].lines} == {None}


def test_a_pair_is_told_by_its_name(opened: Opener) -> None:
    source = corpora.parallel_sets(opened("real"), "bitext", "file", "published")
    rest = r"-[a-z0-9_]+([.][a-z0-9_]+)?[.](links|report[.]json|[a-z0-9_]+[.]txt)"
    published = ["en-de.en.txt", "en-de.test2016.en.txt",
                 "en-de.test2016.report.json", "de-en.tatoeba.de.txt"]  # fmt: skip
    others = ["de-en.de.txt", "en-de.test2018.en.txt"]
    assert [path for path in (*published, *others) if re.fullmatch(f"({source}){rest}", path)] == published


def test_your_own_pair_takes_the_place_of_the_worlds_and_of_no_other_task(opened: Opener) -> None:
    w = opened(change=opened.with_sheet("bitext\tana-ber\tfile\ta b\t\t\t"))
    task = corpora.sets_from(w, "world", tasks=corpora.PARALLEL, ending=corpora.ENDING)
    paths = ("bitext/ana-ber.ana.txt", "bitext/ana-cor.cor.txt", "gold_alignment/ana-ber.links")
    assert [before(task, path) for path in paths] == [False, True, True]


def test_parallel_text_is_read_from_its_files(opened: Opener) -> None:
    files = ("\tfile\ta.sw a.en\t\t\ttake=10", ".two\tfile\tb\t\t\tformat=moses_archive")
    sheet = opened.sheet(*(f"bitext\tsw-en{file}" for file in files))
    w, paper = opened("real", {"data": {"sheets": ["scales/real.tsv", sheet]}}), opened("paper")
    jobs = every(w)
    mine = jobs["prepare_bitext/sw-en"]
    held_out = labelled.held_out(w, "en")
    assert mine.lines == [{"input": ["a.sw", "a.en"], "without_source": [], "without_target": held_out}]
    told = {"format": "parallel_lines", "max_tokens": 200, "take": 10, "part": None}
    assert mine.options == told | {"languages": ["sw", "en"]}
    assert jobs["prepare_bitext/sw-en.two"].options["format"] == "moses_archive"
    news = ["newstest-ende/newstest2013.eng", "newstest-enfr/newstest2013.fra"]  # of two data sets
    for name, read in (
        ("bitext/en-fr.valid", ["multi30k-task1/val.en.gz", "multi30k-task1/val.fr.gz"]),
        ("bitext/en-fr.newstest2013", news),
        ("gold_alignment/ro-en", ["word-alignments/alignment-test-sets.tar.gz"]),
    ):
        assert jobs[f"prepare_{name}"].files() == [f"data/{file}" for file in read]
    assert jobs["prepare_bitext/en-fr"].options["format"] == w.datasets["multi30k-task1"].format
    assert jobs["prepare_bitext/en-fr"].members[0].startswith("crosslingua.corpora.datasets")
    europarl = every(paper)["prepare_bitext/de-en.europarl"]
    told = {"format": paper.datasets["europarl"].format, "max_tokens": 1000, "take": 30000, "part": None}
    assert europarl.options.items() >= told.items()
    assert europarl.lines[0]["without_source"] == labelled.held_out(paper, "de")


def test_what_tests_or_validates_is_held_out_of_training_text_and_bitext(opened: Opener) -> None:
    w = opened("real")
    jobs, held = every(w), labelled.held_out(w, "de")
    names = ("en-de.newstest2016", "en-de.valid", "de-en.tatoeba")
    tests = [*(f"bitext/{name}" for name in names), "gold_alignment/de-en"]
    assert {f"{REAL}/{name}.de.txt" for name in tests} <= set(held)
    assert not any("everyday" in path or path.endswith("en-de.de.txt") for path in held)
    assert labelled.held_out(w, "de.novels") == held
    trained, tested = (jobs[f"prepare_bitext/en-de.{name}"] for name in ("everyday", "newstest2016"))
    assert trained.lines[0]["without_source"] == labelled.held_out(w, "en")
    assert trained.lines[0]["without_target"] == held
    assert {*labelled.held_out(w, "en"), *held} < set(trained.files())
    assert tested.lines[0]["without_source"] == tested.lines[0]["without_target"] == []
    assert labelled.held_out(w, "nl") == [f"{REAL}/bitext/nl-en.tatoeba.nl.txt"]
    assert labelled.held_out(opened(), "ana") == []
