"""The scripts as programs: their output, and errors of one line."""

import json

from corpora.archives import zipped
from texts import written


def test_prepare_text(script, tmp_path):
    written(tmp_path / "a.txt", "Der Hund läuft.\nDer Hund läuft.\n")
    script(
        "prepare_text.py", "--input", "a.txt", "--language", "de", "--tokeniser", "moses", "--lowercase",
        "--max-tokens", 100, "--dedup", "--threads", 2, "--out", "text.txt", "--report", "report.json",
    )  # fmt: skip
    assert (tmp_path / "text.txt").read_text(encoding="utf-8") == "der hund läuft .\n"
    assert json.loads((tmp_path / "report.json").read_text())["dropped"]["duplicate"] == 1
    zipped(tmp_path / "a.zip", {"in/a.txt": "One. Two.\n"})
    for source in (("a.zip", "--member", "in/a.txt"), ("a.zip::in/a.txt",)):
        common = ("--language", "en", "--out", "text.txt", "--report", "report.json")
        script("prepare_text.py", "--input", *source, *common)
        assert (tmp_path / "text.txt").read_text() == "One . Two .\n"


def test_prepare_bitext_and_its_error(script, tmp_path):
    (tmp_path / "a.en").write_text("One.\nTwo.\n")
    (tmp_path / "a.de").write_text("Eins.\nZwei.\n")
    outs = ("--out-source", "s", "--out-target", "t", "--report", "r.json")
    common = ("prepare_bitext.py", "--languages", "en", "de", *outs)
    script(*common, "--input", "a.en", "a.de", "--take", 1)
    assert ((tmp_path / "s").read_text(), (tmp_path / "t").read_text()) == ("One .\n", "Eins .\n")
    (tmp_path / "s").rename(tmp_path / "first")
    (tmp_path / "plan.csv").write_text("input,without_source,without_target\na.en a.de,first,\n")
    script(*common, "--cells", "plan.csv")
    assert (tmp_path / "t").read_text() == "Zwei .\n"
    (tmp_path / "a.de").write_text("Eins.\n")
    result = script(*common, "--input", "a.en", "a.de", status=1)
    assert "error: a.de: has 1 lines, but a.en has 2" in result.stderr


def test_prepare_dictionary(script, tmp_path):
    (tmp_path / "d.tsv").write_text("".join(f"W{index}\tT{index}\n" for index in range(10)))
    (tmp_path / "test.tsv").write_text("w1\tT\nX\tY\n")  # lower case brings w1 into both
    outs = [word for name in ("train", "fit", "validation", "test") for word in (f"--out-{name}", name)]
    common = ("--format", "xling_eval", "--lowercase", "--train", "d.tsv")
    script(
        "prepare_dictionary.py", *common, "--test", "test.tsv", "--validation-share", 0.2, *outs, "--report", "r.json"
    )  # fmt: skip
    train, fit, held, test = ((tmp_path / name).read_text().splitlines() for name in outs[1::2])
    assert train == [f"w{index} t{index}" for index in range(10)]
    assert (len(fit), len(held)) == (8, 2)
    assert sorted(fit + held) == train
    assert test == ["x y"]
    report = json.loads((tmp_path / "r.json").read_text())
    assert list(report) == outs[1::2]
    assert report["test"] == {"pairs": 1, "sources": 1, "dropped": {"duplicate": 0, "excluded": 1}}
    script("prepare_dictionary.py", "--test", "test.tsv", "--out-test", "alone")
    assert (tmp_path / "alone").read_text() == "w1 T\nX Y\n"
    failed = script("prepare_dictionary.py", *common, "--out-fit", "x", status=1)
    same = script("prepare_dictionary.py", *common, "--test", "d.tsv", "--out-test", "x", status=1)
    assert "d.tsv: no pair is left" in same.stderr
    assert "'excluded': 10} (excluded: source words of the training dictionary" in same.stderr
    assert "error: --out-fit needs --train and --validation-share" in failed.stderr


def test_prepare_gold_alignment(script, tmp_path, mirror):
    archive = mirror / "word-alignments" / "alignment-test-sets.tar.gz"
    script(
        "prepare_gold_alignment.py", "--archive", archive, "--pair", "ro-en", "--swap",
        "--out-source", "s", "--out-target", "t", "--out-links", "links", "--report", "r.json",
    )  # fmt: skip
    assert len((tmp_path / "links").read_text().splitlines()) == 199
    report = json.loads((tmp_path / "r.json").read_text())
    assert report == {"pairs": 199, "sure": 5033, "possible": 5033, "dropped": {"repeated_link": 1}}


def test_fetch_from_a_mirror_and_by_hand(script, tmp_path):
    listed = script("fetch_dataset.py", "--list").stdout
    assert "\nmulti30k-task2\ttext\ten,de\t" in listed
    (tmp_path / "mine").write_text("not it")
    mine = ("--supplied", "mine", "--data-dir", "data")
    for arguments, message in (
        (("muse-full",), "muse-full has en-de.dict"),
        (("muse-ful",), "error: unknown data set 'muse-ful'"),
        (("muse-full", *mine, "--file", "en-de.dict"), "error: mine: wrong SHA-256: expected e5921b2d"),
        (("xling-eval", *mine, "--all"), "say which with --file"),
    ):
        assert message in script("fetch_dataset.py", "--dataset", *arguments, status=1).stderr


def test_fetch_whole_data_set(script, tmp_path, mirror):
    arguments = ("--dataset", "muse-full", "--all", "--data-dir", "data", "--mirror", mirror)
    fetched = {f"data/muse-full/{path.name}" for path in (mirror / "muse-full").iterdir()}
    for _ in range(2):
        assert set(script("fetch_dataset.py", *arguments).stdout.splitlines()) == fetched
    assert (tmp_path / "data/muse-full/en-de.dict").stat().st_size == 1_945_993
