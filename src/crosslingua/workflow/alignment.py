"""Jobs of word alignment: the alignments of gold sets that papers ask for, and the links of training bitext.

A paper's `cells.py` returns what it compares, `alignments(w) -> [Alignment, ...]`, and finds the scores of each at
`score_file(w, one)`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crosslingua.names import check_defined
from crosslingua.word_aligners import ALIGNERS
from crosslingua.workflow.encoders import encoder_folder
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.labelled import side_of
from crosslingua.workflow.vectors import SIDES, final
from crosslingua.workflow.workflow import LexiconPair, Workflow, asked_by_all, pair_languages, settings_words

GOLD, SCRIPT = "gold_alignment", "word_align.py"


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


def every_alignment(w: Workflow) -> list[Alignment]:
    """Return all alignments that papers ask for, in the order of their tables."""
    return asked_by_all(w, "alignments")


def alignments_of(w: Workflow, pair: str) -> list[Alignment]:
    """Return the alignments of a gold set."""
    return [one for one in every_alignment(w) if one.pair == pair]


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


def alignment_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs of word alignment: of gold sets on text, on vectors and on encoders, their scores, and bitext."""
    together: dict[str, list[Alignment]] = {}  # what reads the same vectors or encoder is one job
    for one in every_alignment(w):
        if not one.space:
            yield _on_text(w, one)
        else:
            run = "" if one.layer is None else f".seed{one.seed}"
            together.setdefault(f"{one.system}{run}", []).append(one)
    for name, found in together.items():
        lines = _encoder_lines(w, found) if found[0].layer is not None else _vector_lines(w, found)
        options = _options(w, found[0].aligner, encoder=found[0].layer is not None)
        yield Job(SCRIPT, f"word_align/{name}", lines, options, [ALIGNERS.module(found[0].aligner)])
    yield from (_scoring(w, pair) for pair in gold_sets(w))
    yield from (_of_bitext(w, name) for name in w.sources.sets["bitext"])


def gold_sets(w: Workflow) -> list[str]:
    """Return the gold sets that are aligned."""
    return list(dict.fromkeys(one.pair for one in every_alignment(w)))


def _options(w: Workflow, aligner: str, *, encoder: bool = False) -> dict[str, Any]:
    """Return the options that all lines of an aligner share.

    Statistics and static vectors see words as the vectors' text has them; encoders read them as they are.
    """
    settings = settings_words(aligner_settings(w, aligner))
    return {"aligner": aligner, "set": settings, "lowercase": w.config["text"]["lowercase"] and not encoder}


def _on_text(w: Workflow, one: Alignment) -> Job:
    """Return the job of an aligner on a gold set's text, and on the bitext that it trains on besides."""
    options = _sides(w, one.pair) | _options(w, one.aligner)
    for side, name in enumerate(SIDES):
        texts = ((text, _of_side(pair_languages(text), one.pair, side)) for text in one.training)
        options[f"training_{name}"] = [In(side_of(w, "bitext", text, place)) for text, place in texts]
    name = f"word_align/{one.aligner}/{one.pair}"
    return Job(SCRIPT, name, options=options, members=[ALIGNERS.module(one.aligner)])


def _sides(w: Workflow, pair: str) -> dict[str, Any]:
    """Return the texts of a gold set."""
    return {side: In(gold_text(w, pair)[side]) for side in SIDES}


def _of_side(languages: tuple[str, str], pair: str, side: int) -> int:
    """Return where a side of a gold set stands in a pair of the same languages, which may run the other way."""
    return side if languages == pair_languages(pair) else 1 - side


def _vector_lines(w: Workflow, found: list[Alignment]) -> list[dict[str, Any]]:
    """Return a line for every gold set that has the vectors, and every seed."""
    return [
        _sides(w, one.pair)
        | {f"{side}_vectors": In(_static_vectors(w, one, place)) for place, side in enumerate(SIDES)}
        | {"out": links_file(w, one)}
        for one in found
    ]


def _static_vectors(w: Workflow, one: Alignment, side: int) -> str:
    """Return the vectors of a side of a gold set."""
    pair = one.vectors
    name = SIDES[_of_side((pair.source, pair.target), one.pair, side)]
    return final(w, one.space, pair, one.seed, f"{name}.vec")


def _encoder_lines(w: Workflow, found: list[Alignment]) -> list[dict[str, Any]]:
    """Return a line for every gold set, with all its layers: the encoder of a run is loaded once."""
    encoder = In(trained(w, found[0].space, found[0].seed))
    lines = []
    for pair in gold_sets(w):
        layers = [one for one in found if one.pair == pair]
        read = {**_sides(w, pair), "encoder": encoder, "languages": list(pair_languages(pair))}
        lines.append(
            {**read, "layer": [one.layer for one in layers], "out": [links_file(w, one) for one in layers]}
        )
    return lines


def _scoring(w: Workflow, pair: str) -> Job:
    """Return the job that scores all alignments of a gold set: cheap."""
    text = {name: In(path) for name, path in gold_text(w, pair).items()}
    lines = []
    for one in alignments_of(w, pair):
        links = links_file(w, one)
        links = In(links, job_folder(w, one) if one.space else links)
        lines.append({**text, "hypothesis": links, "out": score_file(w, one)})
    options = {"bootstrap_samples": w.config["word_alignment"]["bootstrap_samples"]}
    return Job("score_alignment.py", f"score_alignment/{pair}", lines, options)


def _of_bitext(w: Workflow, name: str) -> Job:
    """Return the job that aligns training bitext."""
    chosen = w.config["word_alignment"]["bitext"]
    options = {
        "aligner": chosen["aligner"],
        "set": settings_words(chosen["settings"]),
        "lowercase": w.config["text"]["lowercase"],
        **{side: In(side_of(w, "bitext", name, place)) for place, side in enumerate(SIDES)},
    }
    return Job(SCRIPT, f"align_bitext/{name}", options=options, members=[ALIGNERS.module(chosen["aligner"])])


def check_aligners(w: Workflow) -> None:
    """Raise ConfigError when the section names an aligner that is not there."""
    section = w.config["word_alignment"]
    check_defined("word_alignment.aligners", section["aligners"], ALIGNERS, "the word aligners")
    check_defined(
        "word_alignment.bitext.aligner", section["bitext"]["aligner"], ALIGNERS, "the word aligners"
    )
