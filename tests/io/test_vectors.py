"""The `.vec` reader against Python's own `float`, vectors of fastText, and broken files."""

import gzip
import os
import subprocess
import zipfile

import numpy as np
import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.io import vectors as module
from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from texts import written

ODD_WORDS = ["the", "a\u00a0b", "\u3000x", "y\u2009", "🙂", "e\u0301", '"quote', "#", "\ufeffb"]


@pytest.fixture(params=["by line", "by pandas"])
def parser(request, monkeypatch):
    """Run the test with the parser for small files and with that for large ones."""
    monkeypatch.setattr(module, "LARGE", 0 if request.param == "by pandas" else 2**60)


def random_numbers(rng, n):
    """Float32 bit patterns of every magnitude, finite."""
    values = rng.integers(0, 2**32, n, dtype=np.uint32).view(np.float32)
    return np.where(np.isfinite(values), values, np.float32(0.1))


SPELLINGS = [
    "0.1", "-0.0", "1", "-1.5e-3", "1e5", "1E+05", "+2.5", ".5", "5.", "-.25e1", "1234567890123456789012345",
    "0.000000000000000000000000000001234567", "9007199254740993", "9007199254740992", "9007199254740993e1",
    "1.17549435e-38", "1.401298464324817e-45", "3.4028234663852886e38", "8.5e-23", "0.30000001192092896",
    "16777217.0000000001", "1e22", "1e23", "1e-22", "1e-23", "00000000000000000000001.5", "0e99999", "2_0",
]  # fmt: skip


def test_each_number_is_pythons_float_rounded_to_float32(tmp_path, parser):
    rng = np.random.default_rng(1)
    texts = SPELLINGS + [repr(float(x)) for x in random_numbers(rng, 500)]
    scaled = rng.normal(size=2000) * 10.0 ** rng.integers(-30, 30, 2000)
    texts += [f"{x:.{rng.integers(0, 20)}g}" for x in scaled]
    texts += [f"{x:.{rng.integers(1, 12)}f}" for x in rng.normal(size=2000)]
    lines = "".join(f"w{i} {text} 1\n" for i, text in enumerate(texts))
    path = written(tmp_path / "a.vec", f"{len(texts)} 2\n{lines}")
    expected = np.array([float(text) for text in texts]).astype(np.float32)
    assert read_vectors(path).matrix[:, 0].tobytes() == expected.tobytes()


def test_what_is_written_is_read_back_to_the_bit(tmp_path, parser):
    rng = np.random.default_rng(2)
    matrix = random_numbers(rng, 4000 * 7).reshape(4000, 7)
    matrix[:, 0] = 1
    words = ODD_WORDS + [f"w{i}" for i in range(4000 - len(ODD_WORDS))]
    write_vectors(tmp_path / "a.vec", WordVectors(words, matrix))
    back = read_vectors(tmp_path / "a.vec")
    assert (back.words, back.matrix.dtype) == (words, np.float32)
    assert back.matrix.tobytes() == matrix.tobytes()
    assert back.index["a\u00a0b"] == 1
    assert read_vectors(tmp_path / "a.vec", 17).words == words[:17]


def test_numbers_are_written_with_nine_digits(tmp_path):
    rows = [[1, -1, 10, 1e8], [0.1, -0.0, 1e9, 1e-5], [123456789, 3e38, 1e22, 1.4e-45]]
    words, matrix = ["%d", "\u00a0", "c"], np.float32(rows)
    write_vectors(tmp_path / "a.vec", WordVectors(words, matrix))
    lines = [" ".join([w, *(f"{x:.9g}" for x in row)]) for w, row in zip(words, matrix.tolist(), strict=True)]
    assert (tmp_path / "a.vec").read_bytes().decode().split("\n") == ["3 4", *lines, ""]


def test_vectors_of_the_fasttext_library(tmp_path, parser):
    fasttext = pytest.importorskip("fasttext")
    rng = np.random.default_rng(3)
    known = [word for word in ODD_WORDS if word != "\ufeffb"] + [f"w{i}" for i in range(40)]
    text = "\n".join(" ".join(rng.choice(known, 12)) for _ in range(200))
    (tmp_path / "text").write_text(text, encoding="utf-8")
    options = {"dim": 9, "minCount": 1, "epoch": 1, "t": 1, "thread": 10, "verbose": 0}
    model = fasttext.train_unsupervised(str(tmp_path / "text"), **options)
    # (ten threads: with one, fastText 0.9.3 leaves nine tenths of its matrix uninitialised and may meet NaN)
    matrix = np.array([model.get_word_vector(word) for word in model.words], dtype=np.float32)
    # As fastText's saveVectors prints them: five digits, each number followed by a space.
    lines = [f"{w} " + "".join(f"{x:.5g} " for x in row) for w, row in zip(model.words, matrix, strict=True)]
    (tmp_path / "a.vec").write_text("\n".join([f"{len(lines)} 9", *lines]) + "\n", encoding="utf-8")
    back = read_vectors(tmp_path / "a.vec")
    assert back.words == list(model.words)
    np.testing.assert_allclose(back.matrix, matrix, rtol=5e-5)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("2 2\r\na 1 2 \r\nb -3 4e0", [[1, 2], [-3, 4]]),  # Windows's line ends, without the last
        ("2 2\na 3e38 3e38\nb 3e38 3e38\n", [[float(np.float32(3e38))] * 2] * 2),  # finite, not its sum
        ("2 2\na 0 1\nb 1 1\n", [[0, 1], [1, 1]]),  # no truth values
    ],
)
def test_odd_but_good_rows(tmp_path, parser, text, rows):
    back = read_vectors(written(tmp_path / "a.vec", text))
    assert (back.words, back.matrix.tolist()) == (["a", "b"], rows)


BROKEN = {
    "a 1 2\n": (1, "wrong header"),
    "": (1, "wrong header"),
    "2 x\na 1\n": (1, "wrong header"),
    "0 2\n": (1, "promises 0 rows"),
    "3 2\na 1 2\nb 3 4\n": (None, "promises 3 rows, the file has 2"),
    "1 2\na 1 2\nb 3 4\n": (3, "promises 1 rows, the file has more"),
    "2 2\na 1 2\nb 3\n": (3, "1 numbers after 'b', the header promises 2"),
    "2 2\na 1 2 5\nb 3 4\n": (2, "3 numbers after 'a', the header promises 2"),
    "2 2\na 1 2 5\nb 3\n": (2, "3 numbers after 'a'"),
    "2 2\na 1 x\nb 3\n": (2, "'x' in the vector of 'a' is not a number"),
    "99999999999999 2\na 1 2\n": (None, "promises 99999999999999 rows, the file has 1"),
    "2 2\na 1  2\nb 3 4\n": (2, "3 numbers after 'a'"),
    "2 2\nNew York 1 2\nb 3 4\n": (2, "3 numbers after 'New'"),
    "2 2\na 1 2\nb 3 4x\n": (3, "'4x' in the vector of 'b' is not a number"),
    "2 2\na 1 2\nb - 4\n": (3, "'-' in the vector of 'b' is not a number"),
    "2 2\na 1 2\nb 3 4e\n": (3, "'4e' in the vector of 'b' is not a number"),
    "2 2\na\t1\t2\nb 3 4\n": (2, "0 numbers after"),
    "2 2\n 1 2\nb 3 4\n": (2, "there is no word"),
    "2 2\na 1 2\nb nan 4\n": (3, "not finite"),
    "2 2\na 1 2\nb 3 -inf\n": (3, "not finite"),
    "2 2\na 1 2\nb 0 -0.0\n": (3, "is zero"),
    "2 2\na 1 2\n\n": (3, "numbers after ''"),
    "2 2\na False 1\nb True 1\n": (2, "'False' in the vector of 'a' is not a number"),
    b"2 1\nok 1\nf\xfcr 2\n": (3, "UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("text", BROKEN, ids=repr)
def test_broken_files_name_file_line_and_fault(tmp_path, parser, text):
    line, message = BROKEN[text]
    with pytest.raises(InputError, match=rf"a\.vec.*{message}") as caught:
        read_vectors(written(tmp_path / "a.vec", text))
    assert caught.value.line == line


def test_missing_file_and_senseless_limit(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_vectors(tmp_path / "a.vec")
    with pytest.raises(InputError, match="max_vocabulary is 0"):
        read_vectors(written(tmp_path / "a.vec", "1 1\na 1\n"), 0)


def test_duplicates_and_words_that_no_table_can_hold_are_left_out_and_counted(tmp_path, parser, caplog):
    back = read_vectors(written(tmp_path / "a.vec", "4 1\na 1\nb 2\na 3\na 4\n"))
    assert (back.words, back.matrix.ravel().tolist(), back.duplicates) == (["a", "b"], [1, 2], 2)
    assert "2 rows with a word that came before" in caplog.text
    assert read_vectors(tmp_path / "a.vec", 3).duplicates == 1
    held = "".join(f"b{control}c 3 4\n" for control in "\t\r\0\x0b\f\x1c\x85\u2028")
    assert read_vectors(written(tmp_path / "t.vec", f"10 2\na 1 2\n{held}d 5 6\n")).words == ["a", "d"]
    assert "8 words with a control character" in caplog.text


def test_zero_vectors_can_be_left_out(tmp_path, parser):
    back = read_vectors(written(tmp_path / "a.vec", "3 2\na 0 0\nb 2 1\na 3 0\n"), drop_zero=True)
    assert (back.words, back.duplicates) == (["b", "a"], 0)
    with pytest.raises(InputError, match="no vectors are left"):
        read_vectors(written(tmp_path / "b.vec", "1 2\na 0 0\n"), drop_zero=True)


def test_writing_refuses_what_cannot_be_read_back(tmp_path):
    for word in ("New York", "", "a\nb", "a\r", "a\x0bb", "a\0", "\u2028"):
        with pytest.raises(InputError, match="cannot be written"):
            write_vectors(tmp_path / "a.vec", WordVectors(["ok", word], np.ones((2, 2), np.float32)))
    with pytest.raises(InputError, match="'b' is not finite"):
        write_vectors(tmp_path / "a.vec", WordVectors(["a", "b"], np.float32([[1], [np.nan]])))
    assert not (tmp_path / "a.vec").exists()
    with pytest.raises(ConfigError, match="3 words"):
        WordVectors(["a", "b", "c"], np.ones((2, 2), np.float32))


def test_compressed_vectors_are_the_same(tmp_path, parser):
    rng = np.random.default_rng(8)
    vectors = WordVectors([f"w{i}" for i in range(500)], rng.normal(size=(500, 20)).astype(np.float32))
    for name in ("a.vec", "a.vec.gz", "b.vec.gz"):
        write_vectors(tmp_path / name, vectors)
    plain, first, second = ((tmp_path / name).read_bytes() for name in ("a.vec", "a.vec.gz", "b.vec.gz"))
    assert (gzip.decompress(first), first) == (plain, second)
    published = written(tmp_path / "published.vec.gz", gzip.compress(plain))  # as fastText's own
    for path in (tmp_path / "a.vec.gz", published):
        assert read_vectors(path).matrix.tobytes() == vectors.matrix.tobytes()
        assert read_vectors(path, 7).words == vectors.words[:7]


def test_damaged_compressed_vectors_are_named(tmp_path, parser):
    with pytest.raises(InputError, match=r"a\.vec\.gz: truncated or damaged"):
        read_vectors(written(tmp_path / "a.vec.gz", gzip.compress(b"1 1\na 1\n")[:-12]))


def test_vectors_are_known_by_their_content(tmp_path, parser):
    plain = b"2 2\na 1 2\nb 3 4\n"
    with zipfile.ZipFile(tmp_path / "a.vec.zip", "w") as bundle:
        bundle.writestr("a.vec", plain)
        bundle.writestr("__MACOSX/._a.vec", b"\0")
    contents = {"a.vec.gz": plain, "a.vec": gzip.compress(plain), "b": gzip.compress(b"\xef\xbb\xbf" + plain)}
    contents |= {"mark.vec": b"\xef\xbb\xbf" + plain}
    paths = [written(tmp_path / name, content) for name, content in contents.items()]
    for path in (*paths, tmp_path / "a.vec.zip", f"{tmp_path}/a.vec.zip::a.vec"):
        read = read_vectors(path)
        assert (read.words, read.matrix.tolist()) == (["a", "b"], [[1, 2], [3, 4]])


def test_vectors_are_read_from_a_pipe(tmp_path, parser):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", f"printf '1 2\na 1 2\n' > {tmp_path}/pipe"]):
        assert read_vectors(tmp_path / "pipe").matrix.tolist() == [[1, 2]]
