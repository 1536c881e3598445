"""Tokenisers, trained and compared."""

import json
import shutil
from collections import Counter

import pytest
from tokenizers import Tokenizer
from transformers import AutoTokenizer

from crosslingua.corpora.derived.transliteration import Transliteration
from crosslingua.embedders.laser_pieces import Words
from crosslingua.encoders import tokenizer_training as training
from crosslingua.encoders.data import ROBERTA, Pieces
from crosslingua.encoders.folder import check_same_tokenizer
from crosslingua.encoders.pretraining import pretrain
from crosslingua.encoders.tokenizer_training import count_words, make_tokenizer, save_tokenizer, train_bpe
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.tokenizer_files import encode_words, special_ids_of
from encoders.runs import run
from encoders.tiny import SEED, sentences
from tiny_encoder import write_encoder


@pytest.fixture(scope="module")
def auto(tiny_world):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(tiny_world / "tok")


@pytest.mark.parametrize("word", ["</s>", "<mask>", "a<s>b", "<pad>"])
def test_special_tokens_in_text_are_text_but_the_unknown_word(auto, tiny_world, tmp_path, word):
    """Also where a vocabulary of whole words holds the name of a special token."""
    write_encoder(tmp_path / "whole")
    for folder in (tiny_world / "tok", tmp_path / "whole"):
        pieces = Pieces(folder)
        specials = {pieces.vocabulary[name] for name in ("<s>", "<pad>", "</s>", "<mask>")}
        encoded = pieces.encode([f"a {word} <unk> b"]).values.tolist()
        assert specials.isdisjoint(encoded)
        assert pieces.vocabulary["<unk>"] in encoded
        plain = pieces.encode(["a <unk> b"]).values.tolist()
        assert (encoded[0], encoded[-2:]) == (plain[0], plain[1:])
        assert len(encoded) > len(plain)
        words = Words(AutoTokenizer.from_pretrained(folder)).pieces(["a", word, "<unk>", "b"])
        assert specials.isdisjoint(words[1])
        assert words[1]
        assert words[2] == [pieces.vocabulary["<unk>"]]
        assert specials.isdisjoint(count_pieces_of(folder, word))


def count_pieces_of(folder, word):
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    (encoding,) = encode_words(tokenizer, [word], special_ids_of(tokenizer))
    return encoding.ids


def test_the_first_merges_are_the_most_frequent_pairs(tmp_path):
    # Sennrich et al.'s example: 10 letters, in either place; then e s and es t</w>, in 6 + 3 words each.
    (tmp_path / "text").write_text("low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3)
    bpe = train_bpe(count_words([tmp_path / "text"]), 5 + 20 + 2)
    assert "est</w>" in bpe["vocab"]
    assert (len(bpe["merges"]), len(bpe["vocab"])) == (2, 27)


def test_letters_are_known_where_they_were_not_seen():
    bpe = train_bpe(Counter({"ab": 3}), 100)
    assert set(bpe["vocab"]) == {*ROBERTA, "a", "b", "a</w>", "b</w>", "ab</w>"}
    assert sorted(bpe["vocab"].values()) == list(range(10))
    with pytest.raises(ConfigError, match="give 9 or more"):
        train_bpe(Counter({"ab": 3}), 8)


def test_transformers_reads_split_words_and_lines_alike(auto, tiny_world):
    for line in sentences()[:20]:
        words = line.split()
        split = auto(words, is_split_into_words=True)
        assert split.input_ids == auto(line).input_ids
        assert sorted(set(split.word_ids()) - {None}) == list(range(len(words)))
        assert split.input_ids[1:-1] == Pieces(tiny_world / "tok").encode([line]).values.tolist()
    assert None not in (auto.mask_token_id, auto.pad_token_id)


@pytest.mark.parametrize("word", ["\u00a0", "\u3000", "☃", "☃☃", "abc☃", "</w>", "▁", "\u200b"])
def test_every_word_keeps_a_piece(auto, word):
    encoded = auto(["a", word, "b"], is_split_into_words=True)
    assert set(encoded.word_ids()) == {None, 0, 1, 2}


def test_words_that_are_too_long_are_left_out_and_counted(tmp_path, caplog):
    (tmp_path / "text").write_text(f"{'a' * 1000} b {'c' * 1001}\n{'d' * 10**6} b\n")
    assert count_words([tmp_path / "text"]) == {"a" * 1000: 1, "b": 2}
    assert "2 words of more than 1000 characters were left out" in caplog.text


def test_a_pair_is_encoded_as_roberta_does(auto):
    a, b = (auto(x, add_special_tokens=False).input_ids for x in ("a b", "c"))
    start, end = auto.bos_token_id, auto.eos_token_id
    assert auto("a b", "c").input_ids == [start, *a, end, end, *b, end]


def test_a_copy_is_numbered_as_in_the_paper_and_segmented_as_its_original(tiny_world):
    pieces, spell = Pieces(tiny_world / "tok"), Transliteration(SEED)
    copy_of = dict(read_dictionary(tiny_world / "tok" / "token_pairs.tsv"))
    ids = [(pieces.vocabulary[a], pieces.vocabulary[b]) for a, b in copy_of.items()]
    assert all(second - first == len(ids) for first, second in ids)
    assert sorted(i for pair in ids for i in pair) == list(range(5, pieces.size))
    name = {number: token for token, number in pieces.vocabulary.items()}
    for line in [*sentences(), "abacadab ggggf"]:
        copy = " ".join(spell.word(word) for word in line.split())
        here, there = (pieces.encode([text]).values.tolist() for text in (line, copy))
        assert [copy_of[name[i]] for i in here] == [name[i] for i in there]


def test_words_that_are_unknown_already_are_one_token_in_both(tmp_path):
    (tmp_path / "text").write_text("<unk> ab <unk> ab ba\n" * 5)
    bpe, pairs = training.copied(train_bpe(count_words([tmp_path / "text"]), 12), Transliteration(SEED))
    save_tokenizer(tmp_path / "tok", make_tokenizer(bpe["vocab"], bpe["merges"]))
    assert "ab</w>" in dict(pairs)
    assert not [token for token, _ in pairs if set(token.removesuffix("</w>")) & set("<unk>")]
    spell = Transliteration(SEED)
    for text in ("<unk>", spell.word("<unk>")):
        assert Pieces(tmp_path / "tok").encode([text]).values.tolist() == [bpe["vocab"]["<unk>"]]


def test_characters_beyond_the_script_are_unknown_in_both():
    vocabulary = {name: i for i, name in enumerate([*ROBERTA, "a", "𝄞", "a𝄞"])}
    both, pairs = training.copied({"vocab": vocabulary, "merges": [("a", "𝄞")]}, Transliteration(SEED))
    assert [token for token, _ in pairs] == ["a"]
    assert (both["merges"], len(both["vocab"])) == ([], 7)


def test_with_overlap_pairs_are_those_of_changed_words():
    spell = Transliteration(SEED, overlap=0.5)
    words = ["ab", "cd", "ef", "gh", "ij", "kl"]
    changed = [word for word in words if not spell.keeps(word)]
    assert 0 < len(changed) < len(words)
    names = [*ROBERTA, *(piece for a, b in words for piece in (a, b + "</w>"))]
    both, pairs = training.copied({"vocab": {name: i for i, name in enumerate(names)}, "merges": []}, spell)
    used = training.pairs_in_use(pairs, words, make_tokenizer(both["vocab"], []), spell)
    assert {token for token, _ in used} == {piece for a, b in changed for piece in (a, b + "</w>")}


def test_same_text_same_bytes(tmp_path, tiny_world):
    for name in ("one", "two"):
        bpe = train_bpe(count_words([tiny_world / "a.txt"]), 60)
        save_tokenizer(tmp_path / name, make_tokenizer(bpe["vocab"], bpe["merges"]))
    assert len({(tmp_path / name / "tokenizer.json").read_bytes() for name in ("one", "two")}) == 1


def test_empty_text_and_a_folder_without_a_tokenizer(tmp_path):
    (tmp_path / "empty").write_text("\n \n")
    with pytest.raises(InputError, match="no words"):
        count_words([tmp_path / "empty"])
    with pytest.raises(InputError, match=r"no tokenizer\.json"):
        Pieces(tmp_path)


def test_a_tokeniser_may_read_every_word_in_lower_case(tmp_path):
    (tmp_path / "text").write_text("Low low LOW Été\n" * 3)
    counts = count_words([tmp_path / "text"], lowercase=True)
    assert counts == {"low": 9, "été": 3}
    bpe = train_bpe(counts, 100)
    save_tokenizer(tmp_path / "folder", make_tokenizer(bpe["vocab"], bpe["merges"], lowercase=True))
    found = Pieces(tmp_path / "folder").encode(["Low low LOW", "été ÉTÉ"])
    assert found.values.tolist() == [bpe["vocab"]["low</w>"]] * 3 + [bpe["vocab"]["été</w>"]] * 2


def changed(folder, tmp_path, change):
    """A copy of a tokeniser with something changed in its tokenizer.json."""
    told = json.loads((folder / "tokenizer.json").read_text())
    change(told)
    shutil.copytree(folder, tmp_path / "changed")
    (tmp_path / "changed" / "tokenizer.json").write_text(json.dumps(told))
    return tmp_path / "changed"


def swap_ids(told):
    vocabulary = told["model"]["vocab"]
    first, second = list(vocabulary)[-2:]
    vocabulary[first], vocabulary[second] = vocabulary[second], vocabulary[first]


def spell_merges_as_text(told):
    told["model"]["merges"] = [" ".join(merge) for merge in told["model"]["merges"]]


@pytest.mark.parametrize(("change", "part"), [
    (swap_ids, "pieces"), (lambda told: told["model"]["merges"].reverse(), "merges"),
    (lambda told: told["added_tokens"].pop(), "special tokens"),
])  # fmt: skip
def test_another_tokeniser_is_refused(tiny_world, tmp_path, change, part):
    with pytest.raises(ConfigError, match=rf"changed has other {part} than that of the encoder .*tok: leave"):
        check_same_tokenizer(changed(tiny_world / "tok", tmp_path, change), tiny_world / "tok")


def test_the_same_tokeniser_may_be_spelled_otherwise(tiny_world, tmp_path):
    check_same_tokenizer(changed(tiny_world / "tok", tmp_path, spell_merges_as_text), tiny_world / "tok")


def test_an_encoder_without_its_tokeniser_is_taken_with_a_warning(tiny_world, tmp_path, caplog):
    check_same_tokenizer(tiny_world / "tok", tmp_path)
    assert "has no tokenizer.json" in caplog.text


def test_training_goes_on_with_the_encoders_tokeniser_only(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "first", steps=1))
    swapped = changed(tiny_world / "tok", tmp_path, swap_ids)
    shutil.copytree(swapped, tmp_path / "world" / "tok")
    for name in ("a.txt", "b.txt"):
        shutil.copy(tiny_world / name, tmp_path / "world")
    with pytest.raises(ConfigError, match="has other pieces"):
        pretrain(run(tmp_path / "world", tmp_path / "second", init=tmp_path / "first", steps=1))
