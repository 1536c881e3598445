"""Further parts of the results page: settings, and words that moved."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tabulate import tabulate

from crosslingua.io.json import read_json
from crosslingua.papers.joint_align.explorer import explorer

__all__ = ["explorer", "section"]

CHOSEN = """<h3>Settings chosen on validation translations</h3>
<p>Each supervised system searches the grid of its paper, with the first seed. Validation translations, which neither
train nor test, choose. Published settings stay unless others are better by more than one standard error. P@1 in
percent of the validation queries; if few of them have vectors, the last column says which queries count.</p>
"""
HEAD = """<h3>Words that reallocation moved</h3>
<p>Vocabulary reallocation (Eq. 5 and 6) gives a shared word back to the language that uses it. Validation
translations choose gamma for supervised systems; other systems use no translations. Sizes are words before → after.
Examples are the most frequent words that moved.</p>
"""
EXAMPLES = 6
BY = {"joint_vr": "supervised", "joint_vr_unsupervised": "unsupervised"}


def section(results: Path, choices: Iterable[str] = (), divisions: Iterable[str] = ()) -> str:
    """Return chosen settings and reports of reallocation, of those files that were made."""
    made = [[path for path in map(Path, files) if path.is_file()] for files in (choices, divisions)]
    return _table(CHOSEN, list(_choices(made[0]))) + _table(HEAD, list(_moved(made[1])))


def _table(head: str, rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    table = tabulate(rows, headers="keys", tablefmt="html", disable_numparse=True)
    return f'{head}<div class="scroll">{table}</div>'


def _choices(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """Yield a row a pair and system, of the files of align_vectors.py (PAIR/SYSTEM) and choose_training.py."""
    for path in paths:
        *_, stage, first, second, _ = path.parts
        pair, system = (first, second) if stage == "embedding_alignment" else (second, first)
        choice = read_json(path)
        tried = [each["settings"] for each in choice["tried"]]
        names = {name for settings in tried for name in settings}
        searched = {name for name in names if len({settings.get(name) for settings in tried}) > 1}
        scores = {_words(one["settings"], searched): one["p_at_1"] for one in choice["tried"]}
        chosen = _words(choice["settings"], searched)
        yield {
            "pair": pair,
            "system": system,
            "chosen": chosen,
            "P@1": f"{scores[chosen]:.1f}",
            "as published": f"{choice['tried'][0]['p_at_1']:.1f}",
            "best": f"{max(scores.values()):.1f}",
            "tried": len(scores),
            "queries": "; ".join(filter(None, (str(choice["queries"]), choice.get("note")))),
        }


def _words(settings: dict[str, str], searched: set[str]) -> str:
    shown = (f"{name}={value}" for name, value in settings.items() if name in searched)
    return " ".join(shown) or "as published"


def _moved(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    names = {"source": "source only", "target": "target only", "shared": "shared"}
    for path, division in ((file, division) for file in paths for division in read_json(file)):
        before, after = division["sizes_before"], division["sizes"]
        moved = {side: " ".join(division[f"moved_to_{side}"][:EXAMPLES]) for side in ("source", "target")}
        yield {
            "pair": path.parent.name,
            "seed": division["seed"],
            "systems": BY[path.parts[-3]],
            "gamma": division["gamma"],
            "criterion": division["criterion"],
            **{name: f"{before[side]} → {after[side]}" for side, name in names.items()},
            **{f"moved to {side}": words for side, words in moved.items()},
        }
