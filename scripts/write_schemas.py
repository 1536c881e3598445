"""Write the schema of configurations, the page of all keys, and the page of all programs.

    python scripts/write_schemas.py

Writes schemas/config.schema.json, against which every configuration is checked, docs/configuration.md and
docs/command-line.md. A test fails where one of them is not current.
"""

from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.io.json import write_json


def main() -> None:
    """Write the schema and both pages."""
    p = parser(__doc__)
    p.add_argument("--schema", default="schemas/config.schema.json", help="schema to write")
    p.add_argument("--page", default="docs/configuration.md", help="page of all keys to write")
    p.add_argument("--programs", default="docs/command-line.md", help="page of all programs to write")
    args = p.parse_args()

    from crosslingua import command
    from crosslingua.workflow.schema import page, whole_schema

    schema = whole_schema()
    write_json(args.schema, schema)
    Path(args.page).write_text(page(schema), encoding="utf-8")
    Path(args.programs).write_text(command.page(), encoding="utf-8")


if __name__ == "__main__":
    run(main)
