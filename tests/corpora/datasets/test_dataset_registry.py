"""The registry: every row complete, equal to the mirror's manifest, and in docs/data.md; errors name the line."""

import csv

import pytest

from crosslingua.corpora.datasets.readers import BITEXT_READERS, TEXT_READERS
from crosslingua.corpora.datasets.registry import SCHEMA, dataset, load_registry, markdown_table
from crosslingua.errors import ConfigError, InputError
from crosslingua.tasks.kinds import KINDS
from texts import written

ROW = """
toy:
  title: A toy
  tasks: [text]
  languages: [en]
  format: lines
  licence: CC0
  citation: nobody
  homepage: https://toy.example
  label_scheme: null
  index_base: null
  used_by: [joint_align table1]
  base: https://toy.example/files
  files:
    a.txt: {sha256: null}
"""


def toy(tmp_path, text):
    return load_registry(written(tmp_path / "registry.yaml", text))["toy"]


def test_mirrored_data_sets_have_the_values_of_its_manifest_and_list_no_file_that_it_lacks(mirror):
    registry = load_registry()
    lines = []
    for name in ("MANIFEST.tsv", "MANIFEST.more.tsv"):
        with (mirror / name).open(encoding="utf-8") as stream:
            lines += csv.DictReader(stream, delimiter="\t")
    assert len(lines) > 400
    for line in lines:
        row = registry[line["dataset"]]
        file = row.file(line["file"])
        address = () if line["url"].startswith("apt:") else (line["url"],)  # packages are brought by the user
        assert (file.urls, file.sha256, file.size) == (address, line["sha256"], int(line["bytes"]))
        assert row.licence == line["licence"], row.name
    for row in registry.values():
        if (mirror / row.name).is_dir():
            assert sorted(row.files) == sorted(path.name for path in (mirror / row.name).iterdir())


def test_the_page_holds_the_table_of_the_registry_and_describes_every_reader(repository):
    page = (repository / "docs" / "data.md").read_text(encoding="utf-8")
    begin, end = "<!-- table: crosslingua fetch-dataset --table -->\n", "<!-- end of table -->\n"
    shown = page.partition(begin)[2].partition(end)[0]
    registry = load_registry()
    assert shown == markdown_table(registry), "renew it: crosslingua fetch-dataset --table"
    lines = shown.splitlines()
    assert (len(lines), {line.count(" | ") for line in lines}) == (len(registry) + 2, {8})
    assert any("first fetch (15)" in line and "wikipedia" in line for line in lines)
    for name in (*TEXT_READERS, *BITEXT_READERS):
        assert f"| `{name}` |" in page
    assert (repository / "schemas" / "datasets.schema.json").resolve() == SCHEMA.resolve()


def test_address_is_base_and_name_or_path_or_given(tmp_path):
    more = "    b.txt: {sha256: null, path: deep/b.txt}\n    c.txt: {sha256: null, urls: ['https://else.example/c']}\n"
    files = toy(tmp_path, ROW + more).files
    assert [file.urls[0] for file in files.values()] == [
        "https://toy.example/files/a.txt", "https://toy.example/files/deep/b.txt", "https://else.example/c",
    ]  # fmt: skip


@pytest.mark.parametrize(("change", "line", "message"), [
    (("licence: CC0\n  ", ""), 2, "'licence' is a required property"),
    (("[en]", "[English]"), 5, "toy.languages.0: 'English' does not match"),
    (("[text]", "[poetry]"), 4, "toy.tasks.0: 'poetry' is not one of"),
    (("{sha256: null}", "{sha256: abc}"), 15, "toy.files.a.txt.sha256: 'abc'"),
    (("{sha256: null}", "{}"), 15, "'sha256' is a required property"),
    (("joint_align", "My_paper"), 12, "used_by"),
    (("  base: https://toy.example/files\n", ""), 14, "file a.txt has no source"),
    (("format: lines", "format: lines\n  format: tsv"), 7, "the key 'format' stands in line 6 too"),
    (("[en]", "[en"), 6, "not YAML"), (("a.txt", "../a.txt"), 14, "does not match"),
])  # fmt: skip
def test_bad_rows_are_named_with_their_line(tmp_path, change, line, message):
    assert change[0] in ROW
    with pytest.raises(InputError, match=f"^{tmp_path}/registry.yaml:{line}: .*{message}"):
        toy(tmp_path, ROW.replace(*change))


def test_another_kind_of_task_is_known_to_the_registry(tmp_path, monkeypatch):
    monkeypatch.setitem(KINDS, "poetry", KINDS["ner"])
    assert toy(tmp_path, ROW.replace("[text]", "[poetry]")).tasks == ("poetry",)


def test_a_licensed_row_needs_no_address(tmp_path):
    row = toy(tmp_path, ROW.replace("base: https://toy.example/files", "user_supplied: Ask the owner."))
    assert (row.user_supplied, row.files["a.txt"].urls) == ("Ask the owner.", ())


def test_empty_and_missing_files(tmp_path):
    with pytest.raises(InputError, match="should be non-empty"):
        toy(tmp_path, "# nothing\n")
    with pytest.raises(InputError, match="no such file"):
        load_registry(tmp_path / "none.yaml")


def test_unknown_data_set_lists_what_there_is():
    with pytest.raises(ConfigError, match=r"unknown data set 'multi40k'.*multi30k-task1"):
        dataset("multi40k")
    assert dataset("xling-eval") is dataset("xling-eval")
