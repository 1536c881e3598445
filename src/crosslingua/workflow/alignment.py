"""Jobs of word alignment: the alignments of gold sets that papers ask for, and the links of training bitext.

A paper's `cells.py` returns what it compares, `alignments(w) -> [Alignment, ...]`, and finds the scores of each at
`score_file(w, one)`.
"""

from dataclasses import dataclass
from typing import Any

from crosslingua.names import check_defined
from crosslingua.word_aligners import ALIGNERS
from crosslingua.workflow.encoders import encoder_folder
from crosslingua.workflow.labelled import side_of
from crosslingua.workflow.vectors import SIDES, final
from crosslingua.workflow.workflow import LexiconPair, Workflow, asked_by_all, pair_languages, settings_words

GOLD = "gold_alignment"


@dataclass(frozen=True)
class Alignment:
    """One alignment of a gold set. `space` is the encoder or static vectors, "" for an aligner on text.

    `seed` is the training run of the space, `layer` an encoder's, and `member` the encoder that stands for it. Static
    vectors are those of the system `space` for the language pair `vectors`, which may run the other way; `training`
    names bitext, either way too, that an aligner on text trains on beside the gold set's.
    """

    pair: str
    aligner: str
    seed: int
    space: str = ""
    layer: int | None = None
    vectors: LexiconPair | None = None
    training: tuple[str, ...] = ()
    member: str = ""

    @property
    def system(self) -> str:
        """The system's name in tables."""
        return f"{self.aligner}+{self.space}" if self.space else self.aligner

    @property
    def stem(self) -> str:
        """The name of its scores, without a suffix."""
        layer = "" if self.layer is None else f".layer{self.layer}"
        return f"{self.system}{layer}.seed{self.seed}" if self.space else self.aligner


def folder(w: Workflow) -> str:
    """Return the folder of word alignments."""
    return f"{w.results}/word_alignment"


def job_folder(w: Workflow, one: Alignment) -> str:
    """Return the folder of the job that makes an alignment: by system, and by seed where it reads an encoder."""
    name = f"{folder(w)}/links/{one.system}"
    return name if one.layer is None else f"{name}/seed{one.seed}"


def links_file(w: Workflow, one: Alignment) -> str:
    """Return the links of an alignment."""
    what = f"layer{one.layer}" if one.layer is not None else f"seed{one.seed}"
    return f"{job_folder(w, one)}/{one.pair}{f'.{what}' if one.space else ''}.links"


def scores_folder(w: Workflow, pair: str) -> str:
    """Return the folder of the scores of a gold set."""
    return f"{folder(w)}/scores/{pair}"


def score_file(w: Workflow, one: Alignment) -> str:
    """Return the scores of an alignment."""
    return f"{scores_folder(w, one.pair)}/{one.stem}.json"


def gold_text(w: Workflow, pair: str) -> dict[str, str]:
    """Return the texts and links of a gold set."""
    sides = {name: side_of(w, GOLD, pair, side) for side, name in enumerate(SIDES)}
    return {**sides, "gold": f"{w.corpora}/{GOLD}/{pair}.links"}


def aligners_of(w: Workflow, what: str) -> list[str]:
    """Return the aligners that read `text`, or `vectors`."""
    aligners = w.config["word_alignment"]["aligners"]
    return [name for name, entry in aligners.items() if entry and entry["reads"] == what]


def aligner_settings(w: Workflow, aligner: str) -> dict[str, Any]:
    """Return the settings of an aligner."""
    return w.config["word_alignment"]["aligners"][aligner].get("settings") or {}


def aligner_options(w: Workflow, aligner: str, *, encoder: bool = False) -> dict[str, Any]:
    """Return the options that all cells of an aligner share.

    Statistics and static vectors see words as the vectors' text has them; encoders read them as they are.
    """
    lowercase = w.config["text"]["lowercase"] and not encoder
    return {
        "aligner": aligner,
        "set": settings_words(aligner_settings(w, aligner)),
        "lowercase": lowercase,
    }


def text_options(w: Workflow, aligner: str, pair: str) -> dict[str, Any]:
    """Return the options of an aligner on a gold set's text, with the bitext that it trains on besides."""
    return aligner_options(w, aligner) | training_text(w, aligner, pair)


def bitext_options(w: Workflow) -> dict[str, Any]:
    """Return the options by which training bitext is aligned."""
    own = w.config["word_alignment"]["bitext"]
    chosen = {"aligner": own["aligner"], "set": settings_words(own["settings"])}
    return chosen | {"lowercase": w.config["text"]["lowercase"]}


def every_alignment(w: Workflow) -> list[Alignment]:
    """Return all alignments that papers ask for, in the order of their tables."""
    return asked_by_all(w, "alignments")


def alignments_of(w: Workflow, pair: str) -> list[Alignment]:
    """Return the alignments of a gold set."""
    return [one for one in every_alignment(w) if one.pair == pair]


def gold_sets(w: Workflow) -> list[str]:
    """Return the gold sets that are aligned."""
    return list(dict.fromkeys(one.pair for one in every_alignment(w)))


def vector_spaces(w: Workflow) -> list[str]:
    """Return the systems whose vectors words are aligned by."""
    return list(dict.fromkeys(one.space for one in every_alignment(w) if one.vectors))


def encoders(w: Workflow) -> list[str]:
    """Return the encoders that words are aligned by."""
    return list(dict.fromkeys(one.space for one in every_alignment(w) if one.layer is not None))


def trained(w: Workflow, encoder: str, seed: int | str) -> str:
    """Return the folder of a training run of what stands for an encoder."""
    member = next(one.member for one in every_alignment(w) if one.space == encoder and one.member)
    return encoder_folder(w, member, seed)


def _of_side(languages: tuple[str, str], pair: str, side: int) -> int:
    """Return where a side of a gold set stands in a pair of the same languages, which may run the other way."""
    return side if languages == pair_languages(pair) else 1 - side


def static_vectors(w: Workflow, one: Alignment, side: int) -> str:
    """Return the vectors of a side of a gold set."""
    own = one.vectors
    name = SIDES[_of_side((own.source, own.target), one.pair, side)]
    return final(w, one.space, own, one.seed, f"{name}.vec")


def vector_inputs(w: Workflow, aligner: str, space: str) -> list[str]:
    """Return the texts and vectors that an aligner on static vectors reads."""
    cells = _vector_cells(w, aligner, space)
    files = [cell[key] for cell in cells for key in ("source", "target", "source_vectors", "target_vectors")]
    return list(dict.fromkeys(files))


def vector_plan(w: Workflow, aligner: str, space: str) -> str:
    """Write the cells of an aligner on static vectors; return the file."""
    return w.plan(f"word_align/{aligner}+{space}", _vector_cells(w, aligner, space))


def _vector_cells(w: Workflow, aligner: str, space: str) -> list[dict[str, Any]]:
    """Return a cell for every gold set that has the vectors, and every seed."""
    found = [one for one in every_alignment(w) if (one.aligner, one.space) == (aligner, space)]
    return [
        {side: gold_text(w, one.pair)[side] for side in SIDES}
        | {f"{side}_vectors": static_vectors(w, one, place) for place, side in enumerate(SIDES)}
        | {"out": links_file(w, one)}
        for one in found
    ]


def all_gold_text(w: Workflow) -> list[str]:
    """Return the texts of all gold sets."""
    return [gold_text(w, pair)[side] for pair in gold_sets(w) for side in SIDES]


def encoder_plan(w: Workflow, aligner: str, encoder: str, seed: int) -> str:
    """Write the cells of an aligner on one training run of an encoder; return the file.

    A gold set is one cell with all its layers.
    """
    cells = []
    for pair in gold_sets(w):
        found = [
            o for o in alignments_of(w, pair) if (o.aligner, o.space, o.seed) == (aligner, encoder, seed)
        ]
        text = {side: gold_text(w, pair)[side] for side in SIDES}
        layers = {"layer": [one.layer for one in found], "out": [links_file(w, one) for one in found]}
        chosen = {"encoder": trained(w, encoder, seed), "languages": list(pair_languages(pair))}
        cells.append(text | chosen | layers)
    return w.plan(f"word_align/{aligner}+{encoder}.seed{seed}", cells)


def training_text(w: Workflow, aligner: str, pair: str) -> dict[str, list[str]]:
    """Return both sides of the bitext that an aligner on text trains on besides the gold set's, as its options."""
    one = next(one for one in alignments_of(w, pair) if (one.aligner, one.space) == (aligner, ""))
    return {
        f"training_{name}": [
            side_of(w, "bitext", text, _of_side(pair_languages(text), pair, side)) for text in one.training
        ]
        for side, name in enumerate(SIDES)
    }


def scoring_plan(w: Workflow, pair: str) -> str:
    """Write the cells that score a gold set; return the file."""
    text = gold_text(w, pair)
    cells = [
        {**text, "hypothesis": links_file(w, one), "out": score_file(w, one)}
        for one in alignments_of(w, pair)
    ]
    return w.plan(f"score_alignment/{pair}", cells)


def scoring_inputs(w: Workflow, pair: str) -> list[str]:
    """Return the links that scoring a gold set reads: files of aligners on text, folders of the others."""
    found = (job_folder(w, one) if one.space else links_file(w, one) for one in alignments_of(w, pair))
    return list(dict.fromkeys(found))


def check_aligners(w: Workflow) -> None:
    """Raise ConfigError when the section names an aligner that is not there."""
    section = w.config["word_alignment"]
    check_defined("word_alignment.aligners", section["aligners"], ALIGNERS, "the word aligners")
    check_defined(
        "word_alignment.bitext.aligner", section["bitext"]["aligner"], ALIGNERS, "the word aligners"
    )
