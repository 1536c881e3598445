"""Monolingual text: sizes, seeds, domains, foreign words."""

import os
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest

from corpora.world.support import linked_pairs
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import Family
from crosslingua.corpora.world.text import make_dictionary, same_surface, text_blocks, word_counts
from crosslingua.io.bitext import sources

CODES = ("ana", "ber", "cor", "dax", "eno", "fyr")


def lines(world, code, n, **options):
    return "".join(text_blocks(world, code, n, **options)).splitlines()


@pytest.mark.parametrize("code", CODES)
def test_lines_tokens_and_vocabulary(world, code):
    text = lines(world, code, 5000)
    assert len(text) == 5000
    for line in text:
        tokens = line.split(" ")
        assert all(tokens)
        assert tokens[-1] in (".", "?")
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
    assert cosine(word_counts(none, "ber"), word_counts(full, "ber")) < 0.999


def cosine(a: Counter[str], b: Counter[str]) -> float:
    words = sorted(a.keys() | b.keys())
    x, y = (np.array([counts[word] for word in words], float) for counts in (a, b))
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


def test_texts_of_two_languages_are_not_parallel(world):
    """Years are written alike everywhere: the years of line i say nothing of the years of line i elsewhere."""
    years = [
        [{token for token in line.split(" ") if token.isdigit()} for line in lines(world, code, 4000)]
        for code in ("ana", "ber")
    ]
    same = np.mean([a == b for a, b in zip(*years, strict=True) if a])
    assert same < 0.1


# Bilingual dictionaries, held against gold word alignments and text.


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
