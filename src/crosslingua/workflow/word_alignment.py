"""Jobs of word alignment: gold sets, which papers ask for by `alignments(w) -> [Alignment, ...]`, and bitext."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crosslingua.errors import check_defined
from crosslingua.word_aligners import ALIGNERS
from crosslingua.workflow.encoders import encoder_folder
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.labelled import side_of
from crosslingua.workflow.vectors import SIDES
from crosslingua.workflow.workflow import LexiconPair, Workflow, pair_languages, settings_words

GOLD = "gold_alignment"


@dataclass(frozen=True)
class Alignment:
    """One alignment of a gold set. `space`: the encoder or static vectors ("": an aligner on text); `layer` is an
    encoder's.

    `seed` is the training run of the space, or of a `seeded` aligner on text; `member` is the encoder that stands for
    the space. `vectors` is the language pair of static vectors, `training` the bitext that an aligner on text also
    trains on; both may be reversed.
    """

    pair: str
    aligner: str
    seed: int
    space: str = ""
    layer: int | None = None
    vectors: LexiconPair | None = None
    training: tuple[str, ...] = ()
    member: str = ""
    seeded: bool = False

    @property
    def system(self) -> str:
        """The system's name in tables."""
        return f"{self.aligner}+{self.space}" if self.space else self.aligner

    @property
    def stem(self) -> str:
        """The name of its scores, without a suffix."""
        layer = "" if self.layer is None else f".layer{self.layer}"
        return f"{self.system}{layer}.seed{self.seed}" if self.space or self.seeded else self.aligner


def folder(w: Workflow) -> str:
    """Return the folder of word alignments."""
    return f"{w.results}/word_alignment"


def job_folder(w: Workflow, one: Alignment) -> str:
    """Return the folder of the job that makes an alignment: by system, and by seed where one job has one seed."""
    name = f"{folder(w)}/links/{one.system if one.space else one.stem}"
    return name if one.layer is None else f"{name}/seed{one.seed}"


def links_file(w: Workflow, one: Alignment) -> str:
    """Return the links of an alignment."""
    what = f"layer{one.layer}" if one.layer is not None else f"seed{one.seed}"
    return f"{job_folder(w, one)}/{one.pair}{f'.{what}' if one.space else ''}.links"


def bitext_links(w: Workflow, name: str) -> str:
    """Return the links of a bitext."""
    return f"{folder(w)}/bitext/{name}.links"


def score_file(w: Workflow, one: Alignment) -> In:
    """Return the scores of an alignment."""
    of_pair = f"{folder(w)}/scores/{one.pair}"
    return In(f"{of_pair}/{one.stem}.json", of_pair)


def gold_text(w: Workflow, pair: str) -> dict[str, str]:
    """Return the texts and links of a gold set."""
    sides = {name: side_of(w, GOLD, pair, side) for side, name in enumerate(SIDES)}
    return {**sides, "gold": f"{w.corpora}/{GOLD}/{pair}.links"}


def aligners_of(w: Workflow, what: str) -> list[str]:
    """Return the aligners that read `text`, or `vectors`."""
    aligners = w.config.word_alignment.aligners
    return [name for name, entry in aligners.items() if entry and entry.reads == what]


def is_seeded(w: Workflow, aligner: str) -> bool:
    """Whether an aligner on text draws by its seed."""
    return w.config.word_alignment.aligners[aligner].seeded


def names_in_files(w: Workflow) -> list[str]:
    """Return the aligners as files of links name them."""
    return [*w.config.word_alignment.aligners, *(one.stem for one in every_alignment(w) if one.seeded)]


def aligner_settings(w: Workflow, aligner: str) -> dict[str, Any]:
    """Return the settings of an aligner."""
    return w.config.word_alignment.aligners[aligner].settings or {}


def every_alignment(w: Workflow) -> list[Alignment]:
    """Return all alignments that papers ask for, in the order of their tables."""
    return w.of_papers(lambda paper: paper.alignments())


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


def gold_sets(w: Workflow) -> list[str]:
    """Return the gold sets that are aligned."""
    return list(dict.fromkeys(one.pair for one in every_alignment(w)))


def alignment_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs of word alignment: of gold sets on text, on vectors and on encoders, their scores, and bitext."""
    together: dict[str, list[Alignment]] = {}  # what reads the same vectors, or the same encoder, is one job
    for one in every_alignment(w):
        if one.space:
            run = "" if one.layer is None else f".seed{one.seed}"
            together.setdefault(f"{one.system}{run}", []).append(one)
        else:
            yield _by_text(w, one)
    for name, alignments in together.items():
        yield (_by_vectors if alignments[0].layer is None else _by_encoder)(w, name, alignments)
    yield from (_scoring(w, pair) for pair in gold_sets(w))
    yield from (_of_bitext(w, name) for name in w.sources.sets["bitext"])


def _job(name: str, options: Mapping[str, Any], lines: Sequence[Mapping] = (), *made: str) -> Job:
    return Job("word_align.py", name, lines, options, [ALIGNERS.module(options["aligner"])], makes=made)


def _aligner(
    w: Workflow, aligner: str, settings: Mapping[str, Any], *, lowercase: bool = True
) -> dict[str, Any]:
    """Return the options of an aligner. Encoders read words as they are, other aligners as the text of the vectors."""
    lowercase = lowercase and w.config.text.lowercase
    return {"aligner": aligner, "set": settings_words(settings), "lowercase": lowercase}


def _sides(w: Workflow, pair: str) -> dict[str, Any]:
    return {side: In(gold_text(w, pair)[side]) for side in SIDES}


def _by_text(w: Workflow, one: Alignment) -> Job:
    seed = {"seed": one.seed} if one.seeded else {}
    options = _sides(w, one.pair) | _aligner(w, one.aligner, aligner_settings(w, one.aligner) | seed)
    options["languages"] = list(pair_languages(one.pair))
    for side, name in enumerate(SIDES):
        places = [(text, _of_side(pair_languages(text), one.pair, side)) for text in one.training]
        options[f"training_{name}"] = [In(side_of(w, "bitext", text, place)) for text, place in places]
    return _job(f"word_align/{one.stem}/{one.pair}", options, (), links_file(w, one))


def _of_side(languages: tuple[str, str], pair: str, side: int) -> int:
    """Return where a side of a gold set stands in a pair of the same languages, which may run the other way."""
    return side if languages == pair_languages(pair) else 1 - side


def _by_vectors(w: Workflow, name: str, alignments: Sequence[Alignment]) -> Job:
    aligner, lines = alignments[0].aligner, []
    for one in alignments:
        line = {**_sides(w, one.pair), "languages": list(pair_languages(one.pair))}
        for place, side in enumerate(SIDES):
            there = SIDES[_of_side((one.vectors.source, one.vectors.target), one.pair, place)]
            line[f"{side}_vectors"] = In(w.systems[one.space].final(one.vectors, one.seed, f"{there}.vec"))
        lines.append({**line, "out": links_file(w, one)})
    return _job(f"word_align/{name}", _aligner(w, aligner, aligner_settings(w, aligner)), lines)


def _by_encoder(w: Workflow, name: str, alignments: Sequence[Alignment]) -> Job:
    aligner, lines = alignments[0].aligner, []
    read = {"encoder": In(trained(w, alignments[0].space, alignments[0].seed))}
    for pair in gold_sets(w):
        layers = {one.layer: links_file(w, one) for one in alignments if one.pair == pair}
        files = {"layer": list(layers), "out": list(layers.values())}
        lines.append(_sides(w, pair) | read | {"languages": list(pair_languages(pair))} | files)
    options = _aligner(w, aligner, aligner_settings(w, aligner), lowercase=False)
    return _job(f"word_align/{name}", options | w.on_gpu, lines)


def _scoring(w: Workflow, pair: str) -> Job:
    text, lines = {name: In(path) for name, path in gold_text(w, pair).items()}, []
    for one in alignments_of(w, pair):
        links = In(links_file(w, one), job_folder(w, one) if one.space else "")
        lines.append({**text, "hypothesis": links, "out": str(score_file(w, one))})
    options = {"bootstrap_samples": w.config.word_alignment.bootstrap_samples}
    return Job("score_alignment.py", f"score_alignment/{pair}", lines, options)


def _of_bitext(w: Workflow, name: str) -> Job:
    chosen = w.config.word_alignment.bitext
    sides = {side: In(side_of(w, "bitext", name, place)) for place, side in enumerate(SIDES)}
    options = _aligner(w, chosen.aligner, chosen.settings) | sides
    options["languages"] = list(pair_languages(name))
    return _job(f"align_bitext/{name}", options, (), bitext_links(w, name))


def check_aligners(w: Workflow) -> None:
    """Raise ConfigError when the section names an unknown aligner."""
    section = w.config.word_alignment
    check_defined("word_alignment.aligners", section.aligners, ALIGNERS, "the word aligners")
    check_defined("word_alignment.bitext.aligner", section.bitext.aligner, ALIGNERS, "the word aligners")
