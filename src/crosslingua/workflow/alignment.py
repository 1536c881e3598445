"""Jobs of word alignment: every aligner on every gold alignment, and the links of training bitext."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crosslingua.errors import ConfigError
from crosslingua.names import check_defined
from crosslingua.word_aligners import ALIGNERS
from crosslingua.workflow.encoders import encoder_folder
from crosslingua.workflow.labelled import side_of
from crosslingua.workflow.runs import training_bitext
from crosslingua.workflow.shell import settings_words
from crosslingua.workflow.sources import WORLD
from crosslingua.workflow.vectors import final
from crosslingua.workflow.workflow import LexiconPair, Workflow, pair_languages

GOLD = "gold_alignment"


@dataclass(frozen=True)
class Alignment:
    """One alignment of a gold set. `space` is the encoder or static vectors, "" for an aligner on text.

    `seed` is the training run of the space; `layer` an encoder's; `tables` what it belongs to, of table2 and fig2.
    """

    pair: str
    aligner: str
    seed: int
    space: str = ""
    layer: int | None = None
    tables: tuple[str, ...] = ("table2",)

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


def gold(w: Workflow) -> list[str]:
    """Return the gold alignments: those named, or else all of the data sheets and those of the language pairs."""
    found = w.sources.sets[GOLD]
    named = w.config["xlm_align"]["gold"]
    return named or [n for n, e in found.items() if e["from"] != WORLD or n in w.config["pairs"]]


def gold_text(w: Workflow, pair: str) -> dict[str, str]:
    """Return the texts and links of a gold set."""
    sides = {name: side_of(w, GOLD, pair, side) for side, name in enumerate(("source", "target"))}
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
    training = {
        f"training_{name}": training_text(w, pair, side) for side, name in enumerate(("source", "target"))
    }
    return aligner_options(w, aligner) | training


def bitext_options(w: Workflow) -> dict[str, Any]:
    """Return the options by which training bitext is aligned."""
    own = w.config["word_alignment"]["bitext"]
    chosen = {"aligner": own["aligner"], "set": settings_words(own["settings"])}
    return chosen | {"lowercase": w.config["text"]["lowercase"]}


def encoders(w: Workflow) -> list[str]:
    """Return the encoders of this scale; an entry that is null is none."""
    return [name for name, entry in w.config["xlm_align"]["encoders"].items() if entry]


def alignments(w: Workflow, pair: str) -> list[Alignment]:
    """Return all alignments of a gold set, in the order of the tables; an aligner on text has the first seed."""
    on_vectors = aligners_of(w, "vectors")
    found = [Alignment(pair, aligner, w.seeds[0]) for aligner in aligners_of(w, "text")]
    for space in w.config["xlm_align"]["vectors"]:
        if lexicon_pair(w, pair):
            found += [Alignment(pair, aligner, seed, space) for aligner in on_vectors for seed in w.seeds]
    for encoder in encoders(w):
        found += [one for aligner in on_vectors for one in _on_encoder(w, pair, aligner, encoder)]
    return found


def every_alignment(w: Workflow) -> list[Alignment]:
    """Return the alignments of all gold sets."""
    return [one for pair in gold(w) for one in alignments(w, pair)]


def _on_encoder(w: Workflow, pair: str, aligner: str, encoder: str) -> Iterator[Alignment]:
    """Yield an encoder's alignments: its own layer for table 2, and all `layers` with the aligner of figure 2."""
    section = w.config["xlm_align"]
    entry = section["encoders"][encoder]
    drawn = entry["layers"] if aligner == section["figure2"] else []
    for layer in sorted({entry["layer"], *drawn}):
        tables = ("table2",) * (layer == entry["layer"]) + ("fig2",) * (layer in drawn)
        for seed in w.encoder_seeds:
            yield Alignment(pair, aligner, seed, encoder, layer, tables)


def lexicon_pair(w: Workflow, pair: str) -> tuple[LexiconPair, bool] | None:
    """Return the pair whose vectors serve a gold set, and whether it runs the other way; None without one.

    It has a dictionary, which any system may need. Of several dictionaries it is the first.
    """
    source, target = pair_languages(pair)
    for swapped, languages in ((False, (source, target)), (True, (target, source))):
        for entry in w.lexicon_pairs.values():
            if entry.dictionary and (entry.source, entry.target) == languages:
                return entry, swapped
    return None


def static_vectors(w: Workflow, one: Alignment, side: int) -> str:
    """Return the vectors of a side of a gold set."""
    entry, swapped = lexicon_pair(w, one.pair)
    name = ("source.vec", "target.vec")[1 - side if swapped else side]
    return final(w, one.space, entry, one.seed, name)


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
        {side: gold_text(w, one.pair)[side] for side in ("source", "target")}
        | {
            f"{side}_vectors": static_vectors(w, one, place)
            for place, side in enumerate(("source", "target"))
        }
        | {"out": links_file(w, one)}
        for one in found
    ]


def all_gold_text(w: Workflow) -> list[str]:
    """Return the texts of all gold sets."""
    return [gold_text(w, pair)[side] for pair in gold(w) for side in ("source", "target")]


def encoder_plan(w: Workflow, aligner: str, encoder: str, seed: int) -> str:
    """Write the cells of an aligner on one training run of an encoder; return the file.

    A gold set is one cell with all its layers.
    """
    cells = []
    for pair in gold(w):
        found = [o for o in alignments(w, pair) if (o.aligner, o.space, o.seed) == (aligner, encoder, seed)]
        text = {side: gold_text(w, pair)[side] for side in ("source", "target")}
        layers = {"layer": [one.layer for one in found], "out": [links_file(w, one) for one in found]}
        chosen = {"encoder": encoder_folder(w, encoder, seed), "languages": list(pair_languages(pair))}
        cells.append(text | chosen | layers)
    return w.plan(f"word_align/{aligner}+{encoder}.seed{seed}", cells)


def training_pairs(w: Workflow, pair: str) -> list[tuple[str, bool]]:
    """Return the bitext that an aligner on text trains on beside a gold set, and whether it runs the other way."""
    languages = pair_languages(pair)
    named = w.config["xlm_align"]["training"].get(pair)
    names = named if named is not None else training_bitext(w, languages)
    return [(name, pair_languages(name) != languages) for name in names]


def training_text(w: Workflow, pair: str, side: int) -> list[str]:
    """Return a side of the bitext that an aligner on text trains on besides the gold set's."""
    return [
        side_of(w, "bitext", name, 1 - side if swapped else side) for name, swapped in training_pairs(w, pair)
    ]


def scoring_plan(w: Workflow, pair: str) -> str:
    """Write the cells that score a gold set; return the file."""
    text = gold_text(w, pair)
    cells = [
        {**text, "hypothesis": links_file(w, one), "out": score_file(w, one)} for one in alignments(w, pair)
    ]
    return w.plan(f"score_alignment/{pair}", cells)


def scoring_inputs(w: Workflow, pair: str) -> list[str]:
    """Return the links that scoring a gold set reads: files of aligners on text, folders of the others."""
    found = (job_folder(w, one) if one.space else links_file(w, one) for one in alignments(w, pair))
    return list(dict.fromkeys(found))


def check_alignment(w: Workflow) -> None:
    """Raise ConfigError when a section names an aligner, bitext or gold set that is not there."""
    section = w.config["word_alignment"]
    check_defined("word_alignment.aligners", section["aligners"], ALIGNERS, "the word aligners")
    check_defined(
        "word_alignment.bitext.aligner", section["bitext"]["aligner"], ALIGNERS, "the word aligners"
    )
    own = w.config["xlm_align"]
    check_defined("xlm_align.gold", gold(w), w.sources.sets[GOLD], "gold alignments")
    for pair, names in own["training"].items():
        key = f"xlm_align.training.{pair}"
        check_defined(key, names, w.sources.sets["bitext"], "bitext")
        for name in names:
            if set(pair_languages(name)) != set(pair_languages(pair)):
                raise ConfigError(f"{key}: {name!r} has other languages")
