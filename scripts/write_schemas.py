"""Write the schema of configurations, and the page of all keys, from the typed sections and settings.

    python scripts/write_schemas.py

Writes schemas/config.schema.json, against which every configuration is checked, and docs/configuration.md. A test says
where either is not current.
"""

from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.io.json import write_json


def main() -> None:
    """Write both."""
    p = parser(__doc__)
    p.add_argument("--schema", default="schemas/config.schema.json", help="schema to write")
    p.add_argument("--page", default="docs/configuration.md", help="page to write")
    args = p.parse_args()

    from crosslingua.workflow.schema import page, whole_schema

    schema = whole_schema()
    write_json(args.schema, schema)
    Path(args.page).write_text(page(schema), encoding="utf-8")


if __name__ == "__main__":
    run(main)
