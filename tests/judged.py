"""The papers' statements, judged on made-up scores."""

import json
from collections.abc import Mapping
from pathlib import Path

from crosslingua.claims.statements import Claim, read_claims
from crosslingua.claims.verdict import Judgement, LeftOut, judge_all

ROOT = Path(__file__).resolve().parents[1]


def claims_of(paper: str) -> dict[str, Claim]:
    claims = read_claims(ROOT / f"reference/{paper}_claims.yaml", ROOT / "schemas/claims.schema.yaml")
    return {claim.claim: claim for claim in claims}


def judged(paper: str, evidence: Mapping) -> dict[str, Judgement | LeftOut]:
    return {one.claim.claim: one for one in judge_all([*claims_of(paper).values()], evidence)}


def verdicts(paper: str, evidence: Mapping) -> dict[str, str]:
    """Return the verdict on each statement of a paper that can be judged."""
    return {name: one.verdict for name, one in judged(paper, evidence).items() if isinstance(one, Judgement)}


class Files:
    """Writes scores to files of a folder."""

    def __init__(self, folder: Path):
        self.folder, self.count = folder, 0

    def write(self, content: Mapping) -> str:
        self.count += 1
        path = self.folder / f"{self.count}.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return str(path)
