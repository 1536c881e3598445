"""Text and parallel text of the world: sizes, seeds, links that hold; the command line."""

import os
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache
from itertools import combinations
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cosine

from corpora.world.support import linked_pairs, make_world
from crosslingua.corpora.world import text as world_text
from crosslingua.corpora.world.bitext import bitext_blocks
from crosslingua.corpora.world.kinds import KINDS
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import Family
from crosslingua.corpora.world.text import same_surface, text_blocks
from crosslingua.io.bitext import sources
from crosslingua.io.pairs import read_pairs
from crosslingua.io.pharaoh import read_pharaoh
from crosslingua.tasks import kinds

CODES = ("ana", "ber", "cor", "dax", "eno", "fyr")
SPECS = st.fixed_dictionaries(
    {
        "word_order": st.sampled_from(["SVO", "SOV", "VSO", "OVS"]),
        "adpositions": st.sampled_from(["before", "after"]),
        "articles": st.sampled_from(["none", "definite", "both"]),
        "pro_drop": st.booleans(),
        "compounding": st.booleans(),
        "morphology": st.fixed_dictionaries({
            "future": st.sampled_from(["auxiliary", "suffix"]), "passive": st.sampled_from(["auxiliary", "suffix"]),
            "negation": st.sampled_from(["particle", "suffix"]), "place": st.sampled_from(["adposition", "case"]),
        }),
    }
)  # fmt: skip


word_counts, make_dictionary = cache(world_text.word_counts), cache(world_text.make_dictionary)


@pytest.fixture(scope="module", autouse=True)
def counted_once():
    """Dictionaries are made of counts of whole texts, each of which takes half a second."""
    with mock.patch.object(world_text, "word_counts", word_counts):
        yield


def lines(world, code, n, **options):
    return "".join(text_blocks(world, code, n, **options)).splitlines()


@pytest.mark.parametrize("code", CODES)
def test_lines_tokens_and_vocabulary(world, code):
    text = lines(world, code, 5000)
    assert len(text) == 5000
    assert all(all(line.split(" ")) and line.endswith((" .", " ?")) for line in text)
    counts = word_counts(world, code)
    assert 1400 <= sum(count >= 3 for count in counts.values()) <= 3600
    assert counts.most_common(1)[0][1] < 0.2 * counts.total()


def test_fewer_sentences_are_a_prefix_of_more_across_chunks(world):
    more = lines(world, "cor", 9000)
    assert lines(world, "cor", 4500) == more[:4500]
    assert len(set(more)) > 6500


def test_seed_and_language_decide(world):
    assert lines(World(world.family, 1), "ber", 300) == lines(world, "ber", 300)
    assert lines(World(world.family, 2), "ber", 300) != lines(world, "ber", 300)


def test_same_bytes_in_another_process(world, repository):
    """String hashing differs between processes, and BLAS threads too: neither may show."""
    code = (
        "import sys; from crosslingua.corpora.world.spec import load_languages;"
        "from crosslingua.corpora.world.realise import World;"
        "from crosslingua.corpora.world.bitext import bitext_blocks;"
        "world = World(load_languages(sys.argv[1]), 1);"
        "sys.stdout.reconfigure(encoding='utf-8');"
        "print(''.join(part for block in bitext_blocks(world, 'ana', 'dax', 200) for part in block))"
    )
    outputs = set()
    command = [sys.executable, "-c", code, str(repository / "world.yaml")]
    for number in ("1", "2"):
        environment = {"PYTHONHASHSEED": number, "OMP_NUM_THREADS": number, "PYTHONPATH": f"{repository}/src"}
        done = subprocess.run(command, env=os.environ | environment, capture_output=True, check=True)
        outputs.add(done.stdout)
    assert len(outputs) == 1


def test_raw_text_is_written_as_the_language_writes(world):
    for code, spaces in (("ana", True), ("dax", False)):
        for tokens, raw in zip(lines(world, code, 50), lines(world, code, 50, raw=True), strict=True):
            assert raw.replace(" ", "") == tokens.replace(" ", "")
            assert raw[-2] != " "
            assert (" " in raw) == (spaces and len(tokens.split(" ")) > 2)


def switched(world, code, shares):
    language = replace(world.family[code], code_switching={"cor": shares})
    return World(Family(world.family.world, world.family | {code: language}), 1)


def test_share_of_foreign_words_is_as_asked(world):
    """Words that `cor` alone has: hardly any without code switching, about the share asked for with it."""
    own = set().union(*(word_counts(switched(world, c, {}), c) for c in ("ana", "ber", "dax", "eno")))
    foreign = {word for word in world.lexicon("cor").words if word not in own}
    function = {world.lexicon("cor").words[c] for c in world.concepts.function.values()} & foreign
    for share in (0.0, 0.02):
        counts = word_counts(switched(world, "ber", {"words": share}), "ber")
        found = sum(counts[word] for word in foreign) / counts.total()
        # part of cor's words are shared ones
        assert found == pytest.approx(0.7 * share, abs=0.3 * share + 1e-9)
        assert any(counts[word] for word in function) == (share > 0)


def test_share_of_quoted_sentences_is_as_asked(world):
    text = lines(switched(world, "dax", {"sentences": 0.1}), "dax", 3000)
    function = {world.lexicon("cor").words[c] for c in world.concepts.function.values()}
    quoted = np.mean([len(function & set(line.split(" "))) > 0 for line in text])
    assert 0.06 < quoted <= 0.12


def test_domain_shift_moves_topics_and_words_apart(world):
    def distance(shift):
        spec = replace(world.family["ber"], domain_shift=shift, code_switching={})
        shifted = World(Family(world.family.world, {"ana": world.family["ana"], "ber": spec}), 1)
        return shifted, 0.5 * np.abs(shifted.topics_of("ana") - shifted.topics_of("ber")).sum()

    (none, at_none), (_, at_half), (full, at_full) = distance(0.0), distance(0.5), distance(1.0)
    assert at_none == pytest.approx(0)
    assert at_half == pytest.approx(at_full / 2)
    assert at_full > 0.3
    counts = [word_counts(shifted, "ber") for shifted in (none, full)]
    assert cosine(*([found[word] for word in sorted(counts[0] | counts[1])] for found in counts)) > 0.001


def test_texts_of_two_languages_are_not_parallel(world):
    """Years are written alike everywhere: the years of line i say nothing of the years of line i elsewhere."""
    years = [
        [{token for token in line.split(" ") if token.isdigit()} for line in lines(world, code, 4000)]
        for code in ("ana", "ber")
    ]
    same = np.mean([a == b for a, b in zip(*years, strict=True) if a])
    assert same < 0.1


PAIRS = [("ana", "ber"), ("ana", "cor"), ("ana", "dax"), ("dax", "ana"), ("eno", "ber")]


def all_pairs(dictionary):
    return [*dictionary.train, *dictionary.valid, *dictionary.test]


def translations_of(dictionary):
    found = defaultdict(set)
    for source, target in all_pairs(dictionary):
        found[source].add(target)
    return found


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_splits_are_sized_disjoint_and_by_frequency(world, source, target):
    dictionary = make_dictionary(world, source, target)
    words = [sources(part) for part in (dictionary.train, dictionary.valid, dictionary.test)]
    assert len(words[0]) >= 700
    assert len(words[2]) >= 300
    assert len({word for part in words for word in part}) == sum(map(len, words))
    counts, known = word_counts(world, source), word_counts(world, target)
    assert min(counts[w] for w in words[0]) >= max(counts[w] for w in [*words[1], *words[2]])
    assert all(counts[s] >= 5 and known[t] >= 5 for s, t in all_pairs(dictionary))
    assert len(set(all_pairs(dictionary))) == len(all_pairs(dictionary))


@pytest.mark.parametrize(("source", "target"), PAIRS[:3])
def test_words_are_linked_to_their_dictionary_translations(world, source, target):
    """The dictionary comes from the lexicons, the links from sentences: they must agree."""
    linked = defaultdict(Counter)
    for x, y, sure, _ in linked_pairs(world, source, target, 12_000):
        for i, j in sure:
            linked[x[i]][y[j]] += 1
    translations = translations_of(make_dictionary(world, source, target))
    common = [word for word in translations if linked[word].total() >= 10]
    known = [linked[w].most_common(1)[0][0] in translations[w] for w in common]
    assert len(common) > 500
    assert np.mean(known) > 0.9
    seen = [bool(linked[w][t]) for w in common for t in translations[w]]
    assert np.mean(seen) > 0.7  # all but rare synonyms and cases


def test_fewer_trainable_words_leave_more_to_tests_of_the_same_dictionary(world):
    usual, more = (make_dictionary(world, "ana", "ber", share=0.1, trainable=part) for part in (0.62, 0.25))
    assert more.train == usual.train
    assert set(usual.test) | set(usual.valid) < set(more.test) | set(more.valid)
    words = [len({s for s, _ in part.test}) for part in (usual, more)]
    assert words[1] / words[0] == pytest.approx(0.75 / 0.38, rel=0.01)
    assert not {s for s, _ in more.train} & {s for s, _ in (*more.valid, *more.test)}


def test_same_surface_pairs_are_marked(world):
    assert same_surface([("Rose", "rose"), ("a", "b")]) == [True, False]
    near, far = (make_dictionary(world, "ana", other) for other in ("ber", "dax"))
    assert np.mean(same_surface(near.test)) > 0.05 + np.mean(same_surface(far.test))


def test_false_friends_are_no_translations(world):
    ana, ber = world.lexicon("ana"), world.lexicon("ber")
    pairs = set(all_pairs(make_dictionary(world, "ana", "ber")))
    friends = [c for c in np.flatnonzero(ber.friend >= 0) if ana.words.count(ber.words[c]) == 1]
    assert len(friends) > 20
    assert not any((ber.words[c], ber.words[c]) in pairs for c in friends)
    right = {(ana.words[c], ber.words[c]) for c in friends}
    assert len(right & pairs) > len(right) / 2


def test_polysemy_gives_several_targets_and_digits_are_left_out(world):
    dictionary = make_dictionary(world, "ana", "ber", lowercase=True)
    assert all(word == word.lower() for pair in all_pairs(dictionary) for word in pair)
    translations = translations_of(dictionary)
    assert np.mean([len(targets) > 1 for targets in translations.values()]) > 0.05
    assert not any(word.isdigit() or word in ".?," for word in translations)


@pytest.mark.parametrize("lowercase", [False, True])
def test_a_share_of_the_types_is_the_most_frequent_words_and_leaves_other_splits_alone(world, lowercase):
    whole = make_dictionary(world, "ana", "cor", lowercase=lowercase)
    counts = word_counts(world, "ana")
    types = {w.lower() if lowercase else w for w, count in counts.items() if count >= 5}
    for share in (0.025, 0.1, 1.0):
        part = make_dictionary(world, "ana", "cor", lowercase=lowercase, share=share)
        words, known = sources(part.train), sources(whole.train)
        assert len(words) == min(round(share * len(types)), len(known))
        assert words == known[: len(words)]
        assert part.train == [pair for pair in whole.train if pair[0] in set(words)]
        assert (part.valid, part.test) == (whole.valid, whole.test)


@settings(max_examples=15)
@given(first=SPECS, second=SPECS)
def test_links_are_in_range_and_cover_both_sides(first, second):
    for ours, theirs, sure, possible in linked_pairs(
        make_world(aa=first, bb=second), "aa", "bb", 150, split="test"
    ):
        links = sure | possible
        assert not sure & possible
        assert all(i < len(ours) and j < len(theirs) for i, j in links)
        assert (len(ours) - 1, len(theirs) - 1) in sure  # the full stops
        years = [{i for i, word in enumerate(side) if word.isdigit()} for side in (ours, theirs)]
        if len(years[0]) == len(years[1]) == 1 and ours[min(years[0])] == theirs[min(years[1])]:
            assert (min(years[0]), min(years[1])) in sure
        for i, j in links:
            if ours[i].isdigit():
                assert theirs[j] == ours[i] or (i, j) in possible


@pytest.mark.parametrize("target", ["ber", "cor", "dax", "eno", "fyr"])
def test_sure_links_are_translations(world, target):
    """What is linked surely begins like a word of one concept in both languages (stems; compounds apart)."""
    ours, theirs = world.lexicon("ana"), world.lexicon(target)
    stems = {}
    for concept in range(len(world.concepts)):
        for lexicon, side in ((ours, 0), (theirs, 1)):
            for word in {lexicon.words[concept], lexicon.second[concept]}:
                stems.setdefault((side, word.lower()), set()).add(concept)

    def concepts(side, word):
        return set().union(*(stems.get((side, word[:k].lower()), set()) for k in range(1, len(word) + 1)))

    right = [
        bool(concepts(0, x[i]) & concepts(1, y[j]))
        for x, y, sure, _ in linked_pairs(world, "ana", target, 600)
        for i, j in sure
    ]
    assert np.mean(right) > (0.97 if world.family[target].compounding else 0.999)


def test_training_pairs_are_partly_wrong_and_all_leave_something_out(world):
    for split, wrong in (("train", 0.1), ("test", 0.0)):
        found = linked_pairs(world, "ana", "ber", 2000, split=split)
        assert np.mean([len(sure) == 1 for _, _, sure, _ in found]) == pytest.approx(wrong, abs=0.02)
        right = [(x, links) for x, _, links, possible in found if len(links | possible) > 1]
        linked = np.mean([len({i for i, _ in links}) / len(x) for x, links in right])
        assert 0.8 < linked < 0.95  # every word of a sentence translated word by word


def test_compounds_are_linked_to_both_their_parts(world):
    def manifold(target):
        found = linked_pairs(world, "ana", target, 2000)
        return np.mean([len({j for _, j in sure}) < len(sure) for _, _, sure, _ in found])

    assert manifold("cor") > 0.05
    assert manifold("ber") == 0


def test_possible_links_say_what_only_one_language_says(world):
    ana = world.language("ana")
    forms = ana.forms.form[:, list(world.concepts.function.values())]
    function = {ana.surfaces[form] for form in np.unique(forms)}
    for x, _, _, possible in linked_pairs(world, "ana", "dax", 500):
        assert all(x[i] in function for i, _ in possible)
    assert not any(possible for _, _, _, possible in linked_pairs(world, "ana", "ber", 500))


def test_distant_languages_cross_more(world):
    def crossing(target):
        found = linked_pairs(world, "ana", target, 300)
        ordered = [[j for _, j in sorted(sure)] for _, _, sure, _ in found]
        return np.mean([np.mean(np.diff(order) < 0) for order in ordered if len(order) > 2])

    assert crossing("ber") < 0.05 < crossing("cor") < crossing("dax")


def test_splits_are_disjoint_sized_and_stable(world):
    parts = {s: linked_pairs(world, "ana", "cor", 700, split=s) for s in ("train", "valid", "test")}
    texts = {s: [tuple(x) for x, *_ in found] for s, found in parts.items()}
    assert all(len(found) == 700 for found in texts.values())
    assert all(set(one).isdisjoint(other) for one, other in combinations(texts.values(), 2))
    assert linked_pairs(world, "ana", "cor", 200, split="test") == parts["test"][:200]


def test_the_library_reads_the_links(world, written):
    block = next(bitext_blocks(world, "ana", "cor", 50))
    lengths = [(len(x), len(y)) for x, y, *_ in linked_pairs(world, "ana", "cor", 50)]
    assert len(read_pharaoh(written(block.links), lengths)) == 50


@pytest.fixture
def generate(script, repository):
    languages = ("--languages", repository / "world.yaml")
    return lambda kind, *rest, **options: script("generate_world.py", kind, *languages, *rest, **options)


def test_text_is_that_of_the_library(generate, world, tmp_path):
    options = ("--seed", 1, "--language", "fyr", "--out", "fyr.txt")
    generate("text", *options, "--sentences", 250)
    assert (tmp_path / "fyr.txt").read_text() == "".join(text_blocks(world, "fyr", 250))
    generate("text", *options)
    assert (tmp_path / "fyr.txt").read_text(encoding="utf-8").count("\n") == 6000  # 60000 × its resource


def test_every_kind_is_written(generate, tmp_path):
    for kind in set(KINDS) - {"text", "dictionary", "bitext"}:
        options = ("--language", "ber", "--split", "valid", "--sentences", 40)
        generate(kind, *options, "--out", f"{kind}.out")
        assert (tmp_path / f"{kind}.out").stat().st_size > 0
    assert len(list(read_pairs(tmp_path / "nli.out", kinds.KINDS["nli"].pairs))) == 40
    outs = ("--out-source", "s", "--out-target", "t", "--out-links", "l")
    generate("bitext", "--source", "ana", "--target", "dax", "--sentences", 30, *outs)
    assert [(tmp_path / name).read_text(encoding="utf-8").count("\n") for name in "stl"] == [30, 30, 30]
    splits = ("train", "fit", "validation", "test")
    outputs = [f"--out-{split}={split}.tsv" for split in splits]
    shared = ("dictionary", "--source", "ana", "--target", "ber", *outputs)
    generate(*shared, "--marked")
    train, fit, validation, test = ((tmp_path / f"{split}.tsv").read_text() for split in splits)
    assert train == fit + validation
    rows = [line.split("\t") for line in test.splitlines()]
    assert all((s.lower() == t.lower()) == (mark == "same") for s, t, mark in rows)
    generate(*shared, "--share", 0.1)
    part, few, same, _ = ((tmp_path / f"{split}.tsv").read_text() for split in splits)
    assert part == few
    assert same.split() == [word for line in validation.splitlines() for word in line.split("\t")[:2]]
    assert 0 < part.count("\n") < train.count("\n") / 4
    wrong = generate(*shared, "--share", 0, status=1)
    assert "--share 0.0: must be above 0 and at most 1" in wrong.stderr
    wrong = generate(*shared, "--trainable", 1, status=1)
    assert "--trainable 1.0: must be between 0 and 1" in wrong.stderr


@pytest.mark.parametrize("kind", ["nli", "slots", "qa"])
def test_splits_at_once_are_those_of_each_alone(generate, tmp_path, kind):
    common = (kind, "--language", "ber")
    names = ("train", "valid", "test")
    trees = [f"{name}.trees" for name in names]
    generate(*common, "--split", *names, "--sentences", 30, 20, 25, "--out", *names, "--trees", *trees)
    for name, size in zip(names, (30, 20, 25), strict=True):
        generate(*common, "--split", name, "--sentences", size, "--out", "one", "--trees", "one.trees")
        for suffix in ("", ".trees"):
            assert (tmp_path / f"{name}{suffix}").read_bytes() == (tmp_path / f"one{suffix}").read_bytes()
    short = generate(*common, "--split", "train", "test", "--sentences", 5, "--out", "a", "b", status=1)
    assert "--split, --sentences, --out and --trees must have equally many values" in short.stderr


@pytest.mark.parametrize(("arguments", "status", "message"), [
    (["--language", "xyz", "--out", "o"], 1, "error: unknown language 'xyz'"),
    (["--language", "ana", "--out", "o", "--languages", "none.yaml"], 1, "none.yaml: no such file"),
    (["--language", "ana", "--out", "o", "--sentences", "-3"], 2, "--sentences"),
])  # fmt: skip
def test_bad_arguments_are_explained_and_nothing_is_written(generate, tmp_path, arguments, status, message):
    done = generate("text", *arguments, status=status)
    assert message in done.stderr
    assert not (tmp_path / "o").exists()
