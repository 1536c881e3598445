"""Write the schema of configurations.

    python scripts/write_schemas.py

Writes schemas/config.schema.json, against which every configuration is checked. A test fails where it is not current.
"""

from crosslingua.cli import parser, run
from crosslingua.io.json import write_json


def main() -> None:
    """Write the schema."""
    p = parser(__doc__)
    p.add_argument("--schema", default="schemas/config.schema.json", help="schema to write")
    args = p.parse_args()

    from crosslingua.workflow.schema import whole_schema

    write_json(args.schema, whole_schema())


if __name__ == "__main__":
    run(main)
