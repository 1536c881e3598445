"""What figure 2 asks for: cells of translation, its table and its picture. Plan side, as `cells`."""

from crosslingua.cells import Cell
from crosslingua.workflow import translation
from crosslingua.workflow.results import Drawing, TableRequest, rows_file
from crosslingua.workflow.workflow import Workflow

TRANSLATION = "translation"  # the group of figure 2
TRANSLATED = ("bleu", "chrf", "degenerate")


def cells(w: Workflow) -> list[Cell]:
    """Return a cell for each system, baseline, seed and direction; its scores are of every epoch."""
    return [
        Cell(
            "joint_align", "fig2", name, "translation", *one.languages, seed,
            translation.score_file(w, one, name, seed), TRANSLATED,
        )
        for pair in translation.pairs(w)
        for one in translation.directions(w, pair)
        for name, seeds in translation.scored(w).items()
        for seed in seeds
    ]  # fmt: skip


def table(w: Workflow) -> TableRequest:
    """Return the table of the picture's numbers."""
    return TableRequest((TRANSLATION,), _note(w))


def _note(w: Workflow) -> str:
    """Say which vectors the systems begin with, and what they are trained on."""
    begin = ", ".join(f"{name}: {of}" for name, of in translation.trained(w).items())
    halves = "halves of parallel text without a pair in common"
    text = {"halves": halves, "alternating": halves, "texts": "the languages' texts"}
    tested = ", ".join(translation.test_set(w, pair)[1] for pair in translation.pairs(w))
    trained = text[translation.section(w)["text"]]
    return f"Begins with the vectors of: {begin}. Trained on {trained}; tested on {tested}."


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return the picture of BLEU by epoch, and of the chosen epochs."""
    if not translation.pairs(w):
        return {}
    systems = [name for name in translation.trained(w) if name != translation.SUPERVISED]
    caption = f"Scale {w.config['scale']}; seeds {', '.join(map(str, translation.section(w)['seeds']))}"
    settings = {
        "systems": systems,
        "start": {name: f"{translation.WORDS}+{name}" for name in systems},
        "compared": {"supervised": translation.SUPERVISED},
        "caption": caption,
    }
    return {
        "figure2": Drawing(
            "figure2", {"rows": [rows_file(w, "joint_align", TRANSLATION)]}, settings, (TRANSLATION,)
        )
    }
