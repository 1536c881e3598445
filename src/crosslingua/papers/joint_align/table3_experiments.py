"""What table 3 asks for: named entities, trained in a pair's source language and tested in its target (zero-shot).

Static vectors are those of systems of table 1; mBERT's and XLM's place is taken by encoders of several languages.
Controls stand beside them: `majority`; `random_vectors`, of each word and language its own; `same_spelling`, random
vectors that a spelling has in both languages; and `target_language`, which is trained on the target's own data.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, check_defined
from crosslingua.workflow import encoder_alignment, vectors
from crosslingua.workflow.encoder_alignment import AlignedEncoder, aligned_folder
from crosslingua.workflow.encoders import encoder_folder, runs_read
from crosslingua.workflow.fine_tuning import Prediction, Tuning, score_file
from crosslingua.workflow.jobs import In
from crosslingua.workflow.results import MAIN, TableRequest, trained_on
from crosslingua.workflow.runs import check_bitext, check_encoders, members, multilingual_origins
from crosslingua.workflow.sources import present
from crosslingua.workflow.tagging import EmbeddedSet, Embedding, Mixture, TaggerRun
from crosslingua.workflow.workflow import LexiconPair, Workflow, in_turn

PAPER, TABLE, TASK = "joint_align", "table3", "ner"
FEATURE, ALIGNED, UPPER = "mbert_feature", "mbert_feature_align", "target_language"
RANDOM = "random_vectors"
CONTROLS = {RANDOM: {}, "same_spelling": {"share_spellings": True}}
MAJORITY, ONE_PASS = "majority", {"epochs": 1, "patience": 0}  # which counts all labels
STATIC, CONTEXTUAL = "static", "contextual"  # jobs
METRICS = ("f1", "f1_conll", "precision", "recall")


def section(w: Workflow) -> dict[str, Any]:
    """Return the configuration of table 3, without what a scale takes out; nothing where it is not asked for."""
    own = w.config[PAPER].get("table3")
    if not own:
        return {}
    tuned = present(own["fine_tuned"] or {})
    read = {name: system for name, system in present(own["vectors"]).items() if _is_known(w, system)}
    return {**own, "vectors": read, "fine_tuned": tuned}


def seeds(w: Workflow) -> list[int]:
    """Return the seeds of taggers and of fine-tuned encoders; the vectors and encoders that they read take turns."""
    return section(w)["seeds"] or w.seeds


def _is_known(w: Workflow, system: str) -> bool:
    """Whether a system of table 1 was not taken out; one that never was there is an error (`check`)."""
    return system in w.systems or system not in w.config[PAPER]["systems"]


def pairs(w: Workflow) -> list[LexiconPair]:
    """Return the pairs whose languages have named entities to train and select on, and to test on.

    A pair with several dictionaries is there once, with the first.
    """
    found: dict[tuple[str, str], LexiconPair] = {}
    for pair in w.lexicon_pairs.values() if section(w) else ():
        if _has(w, pair.source, "train", "valid") and _has(w, pair.target, "test"):
            found.setdefault((pair.source, pair.target), pair)
    return list(found.values())


def _has(w: Workflow, name: str, *splits: str) -> bool:
    return name in w.sources.sets[TASK] and set(splits) <= set(w.sources.splits(TASK, name))


@dataclass(frozen=True)
class Labelled:
    """A system's tagger for pairs, all of one source."""

    system: str
    pairs: tuple[LexiconPair, ...]
    tagger: TaggerRun

    def score(self, seed: int, pair: LexiconPair) -> str:
        """Return the score of a seed for a pair's target; what no seed changes is the first one's."""
        trained = seed if seed in self.tagger.seeds else self.tagger.seeds[0]
        return self.tagger.score(trained, pair.target)


def labelled(w: Workflow) -> list[Labelled]:
    """Return the taggers of table 3, in its order of systems."""
    every = pairs(w)
    if not every:
        return []
    by_source = [
        tuple(p for p in every if p.source == source) for source in dict.fromkeys(p.source for p in every)
    ]
    found = [_control(w, name, of_source) for of_source in by_source for name in (MAJORITY, *CONTROLS)]
    found += [
        _static(w, name, system, pair)
        for name, system in section(w)["vectors"].items()
        for pair in every
        if system in vectors.systems_of(w, pair)
    ]
    if section(w)["features"]:
        found += [_features(w, of_source) for of_source in by_source]
        found += [_rotated(w, pair) for pair in every if encoder_alignment.can_align(w, _aligned(w, pair))]
    return found + [_upper(w, pair) for pair in every if _has(w, pair.target, "train", "valid")]


def _tagger(
    w: Workflow,
    name: str,
    job: str,
    train: str,
    tests: tuple[str, ...],
    source: Any,
    target: Any,
    tagger: str = "",
) -> TaggerRun:
    settings = ONE_PASS if tagger == MAJORITY else _settings(w, job)
    tested = tuple(EmbeddedSet(test, target) for test in tests)
    sets = ((EmbeddedSet(train, source, section(w)["share"]),), tested)
    runs = seeds(w)[:1] if tagger == MAJORITY else seeds(w)
    return TaggerRun(name, job, TASK, tagger or "bilstm_crf", *sets, settings, tuple(runs))


def _settings(w: Workflow, job: str) -> dict[str, Any]:
    """Return the settings of a tagger; over static vectors it is another (section 4.2)."""
    own = section(w)
    return dict(own["tagger"] or {}) | dict((own["static_tagger"] or {}) if job == STATIC else {})


def _control(w: Workflow, name: str, of_source: tuple[LexiconPair, ...]) -> Labelled:
    own = CONTROLS.get(name, {})
    dimension = w.config["word_embeddings"]["dim"]
    is_majority = name == MAJORITY  # it reads no vector: those of another control will do
    found = tuple(
        Embedding(
            f"{RANDOM if is_majority else name}.seed{seed}", "random_vectors",
            {"dimension": dimension, "seed": seed, **own},
        )
        for seed in (seeds(w)[:1] if is_majority else seeds(w))
    )  # fmt: skip
    tests = tuple(pair.target for pair in of_source)
    source = of_source[0].source
    made = _tagger(w, f"{name}/{source}", STATIC, source, tests, found, found, name if is_majority else "")
    return Labelled(name, of_source, made)


def _static(w: Workflow, name: str, system: str, pair: LexiconPair) -> Labelled:
    source, target = (_vectors(w, system, pair, side) for side in vectors.SIDES)
    made = _tagger(w, f"{name}/{pair.name}", STATIC, pair.source, (pair.target,), source, target)
    return Labelled(name, (pair,), made)


def _vectors(w: Workflow, system: str, pair: LexiconPair, side: str) -> tuple[Embedding, ...]:
    files = {run: vectors.final(w, system, pair, run, f"{side}.vec") for run in w.seeds}
    return _read(w, f"{system}.{pair.name}.{side}", files)


def _read(w: Workflow, name: str, files: dict[int, str]) -> tuple[Embedding, ...]:
    """Return vectors of several runs, one for each seed of a tagger."""
    return tuple(
        Embedding(f"{name}.seed{run}", "static_vectors", {"vectors": In(files[run])})
        for run in in_turn(w.seeds, seeds(w))
    )


def encoder_seeds(w: Workflow) -> list[int]:
    """Return the training run of the encoder for each seed of a tagger."""
    return in_turn(w.tagged_encoder_seeds, seeds(w))


def encoder_runs(w: Workflow) -> dict[int, int]:
    """Return which training of the encoders the run of each seed reads."""
    own = section(w)
    if not own:
        return {}
    return runs_read(w, [own["features"], *own["fine_tuned"].values()], w.tagged_encoder_seeds, seeds(w))


def _plain(w: Workflow) -> tuple[Embedding, ...]:
    encoder = section(w)["features"]
    return tuple(
        Embedding(
            f"{encoder}.seed{seed}", "encoder_layers", {"encoder": In(encoder_folder(w, encoder, seed))}
        )
        for seed in encoder_seeds(w)
    )


def _features(w: Workflow, of_source: tuple[LexiconPair, ...]) -> Labelled:
    tests, source = tuple(pair.target for pair in of_source), of_source[0].source
    made = _tagger(w, f"{FEATURE}/{source}", CONTEXTUAL, source, tests, _plain(w), _plain(w))
    return Labelled(FEATURE, of_source, made)


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
    rotated = tuple(
        Embedding(
            f"{way.encoder}.{way.pair}.seed{seed}",
            "encoder_layers",
            {"encoder": In(encoder_folder(w, way.encoder, seed)), "rotations": aligned_folder(w, way, seed)},
        )
        for seed in encoder_seeds(w)
    )
    made = _tagger(w, f"{ALIGNED}/{pair.target}", CONTEXTUAL, pair.source, (pair.target,), rotated, _plain(w))
    return Labelled(ALIGNED, (pair,), made)


def _upper(w: Workflow, pair: LexiconPair) -> Labelled:
    """Return the upper line: independent vectors of the target language, and its own training data."""
    folder = vectors.embeddings_folder(w)
    files = {run: f"{folder}/independent/{pair.target}/seed{run}.vec" for run in w.seeds}
    found = _read(w, f"independent.{pair.target}", files)
    made = _tagger(w, f"{UPPER}/{pair.target}", STATIC, pair.target, (pair.target,), found, found)
    return Labelled(UPPER, (pair,), made)


def taggers(w: Workflow) -> list[TaggerRun]:
    """Return the taggers on frozen features; an upper line that two pairs have in common is one."""
    return list({one.tagger.name: one.tagger for one in labelled(w)}.values())


def tuned(w: Workflow) -> dict[str, Tuning]:
    """Return the encoders that are tuned whole, by system: on every source, tested on every target."""
    if not pairs(w):
        return {}
    found = {name: _tuned(w, encoder) for name, encoder in section(w)["fine_tuned"].items()}
    return {name: one for name, one in found.items() if one.test}


def _tuned(w: Workflow, encoder: str) -> Tuning:
    every = tuned_pairs(w, encoder)
    train = tuple(dict.fromkeys((TASK, _learnt(w, pair)) for pair in every))
    test = tuple(dict.fromkeys((TASK, pair.target) for pair in every))
    settings = {TASK: section(w)["fine_tuning"] or {}}
    return Tuning(encoder, train, test, settings, seeds=tuple(seeds(w)), runs=tuple(encoder_seeds(w)))


def tuned_pairs(w: Workflow, encoder: str) -> list[LexiconPair]:
    """Return the pairs whose languages an encoder knows: one with language ids is told no others."""
    known = members(w)[encoder].get("languages")
    return [pair for pair in pairs(w) if known is None or {pair.source, pair.target} <= set(known)]


def _learnt(w: Workflow, pair: LexiconPair) -> str:
    """Return the set that encoders are tuned on: the source's own, or one of the share that taggers learn from."""
    return pair.source if section(w)["share"] == 1 else f"{PAPER}_{pair.source}"


def mixtures(w: Workflow) -> list[Mixture]:
    """Return the sets of a share."""
    if not tuned(w) or section(w)["share"] == 1:
        return []
    names = {pair.source: _learnt(w, pair) for pair in pairs(w)}
    return [
        Mixture(TASK, name, ((source, section(w)["share"]),), lowercase=False)
        for source, name in names.items()
    ]


def cells(w: Workflow) -> list[Cell]:
    """Return a cell for every system, seed and pair."""
    if not pairs(w):
        return []
    found = [
        _cell(w, one.system, pair, seed, one.score(seed, pair))
        for one in labelled(w)
        for pair in one.pairs
        for seed in seeds(w)
    ]
    found += [
        _cell(w, name, pair, seed, _prediction(w, own, pair, seed).score)
        for name, own in tuned(w).items()
        for pair in tuned_pairs(w, own.encoder)
        for seed in seeds(w)
    ]
    order = order_of_systems(w)
    return sorted(found, key=lambda cell: order.index(cell.system))


def order_of_systems(w: Workflow) -> list[str]:
    """Return the systems as the table has them: the lower line and controls, the paper's, the upper line."""
    return [MAJORITY, *CONTROLS, *section(w)["vectors"], *section(w)["fine_tuned"], FEATURE, ALIGNED, UPPER]


def _prediction(w: Workflow, own: Tuning, pair: LexiconPair, seed: int) -> Prediction:
    return Prediction(own.encoder, seed, TASK, _learnt(w, pair), pair.target)


def _cell(w: Workflow, system: str, pair: LexiconPair, seed: int, score: str) -> Cell:
    path = score_file(w, PAPER, MAIN, score)
    return Cell(PAPER, TABLE, system, TASK, pair.source, pair.target, seed, path, METRICS)


def request(w: Workflow) -> TableRequest:
    """Return what table 3 says of this scale: where its encoders come from, and what could not be run."""
    own = section(w)
    encoders = [name for name in (own["features"], *own["fine_tuned"].values()) if name]
    origin = multilingual_origins(w, dict.fromkeys(encoders))
    share = trained_on(own["share"]) if own else ""
    return TableRequest(note=" ".join(filter(None, (origin, share, *_reasons(w)))))


def _reasons(w: Workflow) -> Iterator[str]:
    for pair in pairs(w):
        if not _has(w, pair.target, "train", "valid"):
            yield f"No {UPPER} for {pair.target}: its set has no data to train and select on (docs/tagging.md)."
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
    encoders = [name for name in (own["features"], *own["fine_tuned"].values()) if name]
    check_defined(key, encoders, members(w), "encoders.multilingual.members")
    if pairs(w):
        check_bitext(w, key, encoders)
    twice = sorted({name for name in encoders if list(own["fine_tuned"].values()).count(name) > 1})
    if twice:
        raise ConfigError(f"{key}.fine_tuned: {', '.join(twice)} under two names")
