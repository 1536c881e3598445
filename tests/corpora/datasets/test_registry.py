"""The table of docs/datasets.md is that of the registry."""

from crosslingua.corpora.datasets.readers import BITEXT_READERS, TEXT_READERS
from crosslingua.corpora.datasets.registry import load_registry, markdown_table

BEGIN = "<!-- table: python scripts/fetch_dataset.py --table -->\n"
END = "<!-- end of table -->\n"


def test_the_page_holds_the_table_of_the_registry(repository):
    page = (repository / "docs" / "datasets.md").read_text(encoding="utf-8")
    shown = page.partition(BEGIN)[2].partition(END)[0]
    assert shown == markdown_table(load_registry()), "renew it: python scripts/fetch_dataset.py --table"


def test_the_page_describes_every_reader(repository):
    page = (repository / "docs" / "datasets.md").read_text(encoding="utf-8")
    for name in (*TEXT_READERS, *BITEXT_READERS):
        assert f"| `{name}` |" in page


def test_every_row_has_every_column():
    registry = load_registry()
    lines = markdown_table(registry).splitlines()
    assert len(lines) == len(registry) + 2
    assert {line.count(" | ") for line in lines} == {8}
    assert any("first fetch (15)" in line and "wikipedia" in line for line in lines)
