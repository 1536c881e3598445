"""What table 3 asks for: named entities, trained in a pair's source language and tested in its target (zero-shot).

Static vectors come from systems of table 1. Encoders of several languages stand in for mBERT and XLM. If `vector_rate`
is above 0, static vectors are tuned with the tagger, as in Lample et al. 2016. `frozen` also reads the vectors of these
systems without tuning. Controls stand beside the systems. `majority` is the most frequent label. `random_vectors`
differ by word and language; `same_spelling` has random vectors that a spelling has in both languages. `target_language`
is trained on data of the target language.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, check_defined
from crosslingua.papers import shared
from crosslingua.papers.joint_align.tables import FROZEN, SOURCE
from crosslingua.papers.shared import MAJORITY, RANDOM, UPPER, Words, grouped, sentences
from crosslingua.workflow import encoder_alignment, vectors
from crosslingua.workflow.encoder_alignment import AlignedEncoder
from crosslingua.workflow.encoders import runs_read
from crosslingua.workflow.fine_tuning import Prediction, Tuning, score_file
from crosslingua.workflow.jobs import In
from crosslingua.workflow.results import MAIN, TableRequest, trained_on
from crosslingua.workflow.runs import check_bitext, check_encoders, members, multilingual_origins
from crosslingua.workflow.sources import present
from crosslingua.workflow.tagging import EmbeddedSet, Embedding, Mixture, TaggerRun
from crosslingua.workflow.workflow import LexiconPair, Workflow, in_turn

PAPER, TABLE, TASK = "joint_align", "table3", "ner"
NER = "ner"  # the group of the table
FEATURE, ALIGNED = "mbert_feature", "mbert_feature_align"
CONTROLS = {RANDOM: {}, "same_spelling": {"share_spellings": True}}
STATIC, CONTEXTUAL = "static", "contextual"  # jobs
METRICS = ("f1", "f1_conll", "precision", "recall", "shortcut_f1")


def section(w: Workflow) -> dict[str, Any]:
    """Return the configuration of table 3, without what a scale takes out; nothing where it is not asked for."""
    own = w.config[PAPER].get("table3")
    if not own:
        return {}
    # A system of table 1 may be taken out; one that never was there is an error (`check`).
    taken_out = w.config[PAPER]["systems"].keys() - w.systems.keys()
    read = {name: system for name, system in present(own["vectors"]).items() if system not in taken_out}
    return {**own, "vectors": read, "fine_tuned": present(own["fine_tuned"] or {})}


def encoders_read(w: Workflow) -> list[str]:
    """Return the encoders of the table: of features, and of fine-tuning."""
    own = section(w)
    return [name for name in (own["features"], *own["fine_tuned"].values()) if name]


def seeds(w: Workflow) -> list[int]:
    """Return the seeds of taggers and of fine-tuned encoders; the vectors and encoders that they read take turns."""
    return section(w)["seeds"] or w.seeds


def pairs(w: Workflow) -> list[LexiconPair]:
    """Return the pairs whose languages have named entities to train and select on, and to test on.

    A pair with several dictionaries is there once, with the first.
    """
    every = grouped(w.lexicon_pairs.values() if section(w) else (), lambda pair: (pair.source, pair.target))
    return [
        pair
        for (source, target), (pair, *_) in every.items()
        if _has(w, source, "train", "valid") and _has(w, target, "test")
    ]


def _has(w: Workflow, name: str, *splits: str) -> bool:
    return name in w.sources.sets[TASK] and set(splits) <= set(w.sources.splits(TASK, name))


@dataclass(frozen=True)
class Labelled:
    """A system's tagger for pairs, all of one source."""

    system: str
    pairs: tuple[LexiconPair, ...]
    tagger: TaggerRun


def labelled(w: Workflow) -> list[Labelled]:
    """Return the taggers of table 3, in its order of systems."""
    every = pairs(w)
    if not every:
        return []
    by_source = [tuple(same) for same in grouped(every, lambda pair: pair.source).values()]
    found = [_control(w, name, of_source) for of_source in by_source for name in (MAJORITY, *CONTROLS)]
    found += [
        _static(w, name, system, pair, frozen)
        for frozen in ((False, True) if section(w)["frozen"] else (False,))
        for name, system in section(w)["vectors"].items()
        for pair in every
        if system in vectors.systems_of(w, pair)
    ]
    if section(w)["features"]:
        found += [_features(w, of_source) for of_source in by_source]
        found += [_rotated(w, pair) for pair in every if encoder_alignment.can_align(w, _aligned(w, pair))]
    return found + [_upper(w, pair) for pair in every if _has(w, pair.target, "train", "valid")]


def _tagged(
    w: Workflow,
    system: str,
    of: tuple[LexiconPair, ...],
    place: str,
    job: str,
    source: Words,
    target: Words,
    frozen: bool = False,
) -> Labelled:
    """Return a system's tagger for pairs of one source; over static vectors it has other settings (section 4.2)."""
    own = section(w)
    settings = dict(own["tagger"] or {}) | dict((own["static_tagger"] or {}) if job == STATIC else {})
    settings |= {"vector_rate": 0} if frozen else {}
    train = EmbeddedSet(of[0].target if system == UPPER else of[0].source, source, own["share"])
    test = [EmbeddedSet(pair.target, target) for pair in of]
    if system != UPPER and _has(w, of[0].source, "test"):
        test.append(EmbeddedSet(of[0].source, source))  # where a system must beat its controls
    member = MAJORITY if system == MAJORITY else "bilstm_crf"
    name = f"{system}/{place}"
    return Labelled(system, of, shared.tagger_run(name, job, TASK, member, train, test, settings, seeds(w)))


def _control(w: Workflow, name: str, of_source: tuple[LexiconPair, ...]) -> Labelled:
    own = CONTROLS.get(name, {})
    dimension = w.config["word_embeddings"]["dim"]
    read = RANDOM if name == MAJORITY else name  # it reads no vector: those of another control will do
    words = tuple(
        Embedding(f"{read}.seed{seed}", RANDOM, {"dimension": dimension, "seed": seed, **own})
        for seed in seeds(w)
    )
    return _tagged(w, name, of_source, of_source[0].source, STATIC, words, words)


def _static(w: Workflow, name: str, system: str, pair: LexiconPair, frozen: bool) -> Labelled:
    name += FROZEN if frozen else ""
    sides = (shared.mapped_vectors(w, system, system, pair, side, seeds(w)) for side in vectors.SIDES)
    return _tagged(w, name, (pair,), pair.name, STATIC, *sides, frozen)


def encoder_runs(w: Workflow) -> dict[int, int]:
    """Return which training of the encoders the run of each seed reads."""
    return runs_read(w, encoders_read(w), w.tagged_encoder_seeds, seeds(w)) if section(w) else {}


def _features(w: Workflow, of_source: tuple[LexiconPair, ...]) -> Labelled:
    plain = shared.layers(w, section(w)["features"], seeds(w))
    return _tagged(w, FEATURE, of_source, of_source[0].source, CONTEXTUAL, plain, plain)


def _aligned(w: Workflow, pair: LexiconPair) -> AlignedEncoder:
    """Return the rotation of section 3.2: one for each layer, by words that are linked in parallel text."""
    return AlignedEncoder(section(w)["features"], "rotate_parallel", pair.source, pair.target)


def aligned_encoders(w: Workflow) -> list[AlignedEncoder]:
    """Return the rotations that table 3 needs."""
    every = [_aligned(w, pair) for pair in pairs(w) if section(w)["features"]]
    return [one for one in every if encoder_alignment.can_align(w, one)]


def _rotated(w: Workflow, pair: LexiconPair) -> Labelled:
    """Return the tagger on the source's words, brought to the target's space as mbert_align does."""
    way = _aligned(w, pair)
    rotated = shared.layers(w, way.encoder, seeds(w), f"{way.encoder}.{way.pair}", way)
    plain = shared.layers(w, way.encoder, seeds(w))
    return _tagged(w, ALIGNED, (pair,), pair.target, CONTEXTUAL, rotated, plain)


def _upper(w: Workflow, pair: LexiconPair) -> Labelled:
    """Return the upper line: independent vectors of the target language, and its own training data."""
    folder = vectors.embeddings_folder(w)
    words = shared.embeddings(
        f"independent.{pair.target}", "static_vectors", in_turn(w.seeds, seeds(w)),
        vectors=lambda run: In(f"{folder}/independent/{pair.target}/seed{run}.vec"),
    )  # fmt: skip
    return _tagged(w, UPPER, (pair,), pair.target, STATIC, words, words)


def taggers(w: Workflow) -> list[TaggerRun]:
    """Return the taggers on frozen features; an upper line that two pairs have in common is one."""
    return list({one.tagger.name: one.tagger for one in labelled(w)}.values())


def tuned(w: Workflow) -> dict[str, Tuning]:
    """Return the encoders that are tuned whole, by system: on every source, tested on every target."""
    found = {}
    for name, encoder in section(w)["fine_tuned"].items() if pairs(w) else ():
        if every := tuned_pairs(w, encoder):
            train = tuple(dict.fromkeys((TASK, _learnt(w, pair)) for pair in every))
            home = (pair.source for pair in every if _has(w, pair.source, "test"))
            test = tuple(dict.fromkeys((TASK, name) for name in (*(pair.target for pair in every), *home)))
            settings = {TASK: section(w)["fine_tuning"] or {}}
            runs = {"seeds": tuple(seeds(w)), "runs": tuple(in_turn(w.tagged_encoder_seeds, seeds(w)))}
            found[name] = Tuning(encoder, train, test, settings, **runs)
    return found


def tuned_pairs(w: Workflow, encoder: str) -> list[LexiconPair]:
    """Return the pairs whose languages an encoder knows; language ids limit an encoder's languages."""
    known = members(w)[encoder].get("languages")
    return [pair for pair in pairs(w) if known is None or {pair.source, pair.target} <= set(known)]


def _learnt(w: Workflow, pair: LexiconPair) -> str:
    """Return the training set of encoders: the source's set, or the share of it that taggers learn from."""
    return pair.source if section(w)["share"] == 1 else f"{PAPER}_{pair.source}"


def mixtures(w: Workflow) -> list[Mixture]:
    """Return the sets of a share."""
    if not tuned(w) or section(w)["share"] == 1:
        return []
    share, names = section(w)["share"], {pair.source: _learnt(w, pair) for pair in pairs(w)}
    return [Mixture(TASK, name, ((source, share),), lowercase=False) for source, name in names.items()]


def cells(w: Workflow) -> list[Cell]:
    """Return a cell for every system, seed and pair."""
    if not pairs(w):
        return []
    found = [
        _cell(w, one.system, pair, seed, one.tagger.score(trained, tested), table)
        for one in labelled(w)
        for pair in one.pairs
        for table, tested in _tested(w, pair)
        if tested in {part.name for part in one.tagger.test}
        # Controls without a seed belong to the first seed.
        for seed, trained in zip_longest(seeds(w), one.tagger.seeds, fillvalue=one.tagger.seeds[0])
    ]
    found += [
        _cell(w, name, pair, seed, Prediction(own.encoder, seed, TASK, _learnt(w, pair), tested).score, table)
        for name, own in tuned(w).items()
        for pair in tuned_pairs(w, own.encoder)
        for table, tested in _tested(w, pair)
        for seed in seeds(w)
    ]  # fmt: skip
    # The lower line and controls, the paper's systems, the upper line.
    frozen = [name + FROZEN for name in section(w)["vectors"]]
    named = (*section(w)["vectors"], *frozen, *section(w)["fine_tuned"])
    order = [MAJORITY, *CONTROLS, *named, FEATURE, ALIGNED, UPPER]
    return sorted(found, key=lambda cell: order.index(cell.system))


def _tested(w: Workflow, pair: LexiconPair) -> list[tuple[str, str]]:
    """Return the table and test set of a tagger's scores: in the target language, and in that of training."""
    return [(TABLE, pair.target), *([(SOURCE, pair.source)] if _has(w, pair.source, "test") else [])]


def _cell(w: Workflow, system: str, pair: LexiconPair, seed: int, score: str, table: str) -> Cell:
    path = score_file(w, PAPER, MAIN, score)
    return Cell(PAPER, table, system, TASK, pair.source, pair.target, seed, path, METRICS)


def request(w: Workflow) -> TableRequest:
    """Return table 3's note on this scale: the encoders' training, and missing systems."""
    origin = multilingual_origins(w, dict.fromkeys(encoders_read(w)))
    rate = ((section(w)["tagger"] or {}) | (section(w)["static_tagger"] or {})).get("vector_rate", 0)
    tuned = f"are tuned with the tagger (rate {rate:g})" if rate else "stay frozen"
    way = f"Static vectors {tuned}."
    return TableRequest((NER,), sentences(way, origin, trained_on(section(w)["share"]), *_reasons(w)))


def _reasons(w: Workflow) -> Iterator[str]:
    for pair in pairs(w):
        if not _has(w, pair.target, "train", "valid"):
            page = "docs/papers/joint_align.md"
            yield f"No {UPPER} for {pair.target}: its set has no data to train and select on ({page})."
        known = vectors.systems_of(w, pair)
        if lacking := [name for name, system in section(w)["vectors"].items() if system not in known]:
            yield f"No {', '.join(lacking)} for {pair.source}-{pair.target}: no dictionary."
        if section(w)["features"] and (reason := encoder_alignment.missing(w, _aligned(w, pair))):
            yield f"No {ALIGNED} for {pair.source}-{pair.target}: {reason}."
        for name, encoder in section(w)["fine_tuned"].items():
            if pair not in tuned_pairs(w, encoder):
                yield f"No {name} for {pair.source}-{pair.target}: {encoder} has not been trained on both languages."


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names a system or an encoder that is not there."""
    own, key = section(w), f"{PAPER}.table3"
    if not own:
        return
    if pairs(w):  # where nothing is tagged, no encoder is trained: the demo's need not fit the languages
        check_encoders(w)
    check_defined(f"{key}.vectors", own["vectors"].values(), w.systems, f"{PAPER}.systems")
    if taken := sorted(own["vectors"].keys() & {UPPER, MAJORITY}):
        raise ConfigError(f"{key}.vectors: {taken[0]} is the name of a control: give the system another")
    if twice := sorted(name for name in own["vectors"] if name + FROZEN in own["vectors"]):
        raise ConfigError(
            f"{key}.vectors: {twice[0]}{FROZEN} is the name of the frozen vectors of {twice[0]}"
        )
    encoders, tuned_whole = encoders_read(w), list(own["fine_tuned"].values())
    check_defined(key, encoders, members(w), "encoders.multilingual.members")
    if pairs(w):
        check_bitext(w, key, encoders)
    twice = sorted({name for name in encoders if tuned_whole.count(name) > 1})
    if twice:
        raise ConfigError(f"{key}.fine_tuned: {', '.join(twice)} under two names")
