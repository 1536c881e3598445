"""Jobs of machine translation: systems by their initial vectors, a supervised upper line, and baselines."""

from collections.abc import Iterator
from dataclasses import dataclass

from crosslingua.errors import ConfigError, check_defined
from crosslingua.translation.settings import settings_of
from crosslingua.workflow import vectors
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.labelled import of_pair, text_in, training_bitext
from crosslingua.workflow.sections import TranslationSection
from crosslingua.workflow.sources import WORLD, present
from crosslingua.workflow.text import text_of
from crosslingua.workflow.vectors import SIDES
from crosslingua.workflow.workflow import SYSTEMS, VECTORS, LexiconPair, Workflow, settings_words

SUPERVISED = "supervised"
COPY, WORDS = "copy", "word_by_word"
KEY = f"{VECTORS}.translation"
SAMPLE_WORDS = {"least": 5, "most": 14}  # of sentences on the results page


@dataclass(frozen=True)
class TranslationDirection:
    """Translation from side 0 or 1 of a pair's test set."""

    pair: LexiconPair
    side: int

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        both = (self.pair.source, self.pair.target)
        return (both[self.side], both[1 - self.side])

    @property
    def name(self) -> str:
        """`ana-ber`."""
        return "-".join(self.languages)


def section(w: Workflow) -> TranslationSection | None:
    """Return the section of the configuration with its seeds listed; None where nothing is translated."""
    asked = w.vectors.translation
    if asked is None or not isinstance(asked.seeds, int):
        return asked
    return asked.model_copy(update={"seeds": list(w.seeds[: asked.seeds])})


def folder(w: Workflow) -> str:
    """Return the folder of systems, translations and scores."""
    return f"{w.results}/translation"


def pairs(w: Workflow) -> list[LexiconPair]:
    """Return the pairs that are translated, each with its first dictionary, from which mappers learn. By default these
    are the pairs with the parallel text and the dictionary that the systems need.
    """
    asked = section(w)
    if asked is None:
        return []
    by_name: dict[str, LexiconPair] = {}
    for pair in w.lexicon_pairs.values():
        by_name.setdefault(f"{pair.source}-{pair.target}", pair)
    named = asked.pairs
    if isinstance(named, list):
        return [by_name[name] for name in named]
    return [pair for pair in by_name.values() if not _lacks(w, pair)][:named]


def _lacks(w: Workflow, pair: LexiconPair) -> str:
    asked = section(w)
    if (asked.text != "texts" or asked.supervised) and not training_bitext(w, (pair.source, pair.target)):
        return "has no parallel text: set text: texts and supervised: null, or add some"
    needing = [name for name, of in trained(w).items() if w.systems[of].needs_dictionary]
    if needing and not pair.dictionary:
        return f"has no dictionary, which {', '.join(needing)} need: take them out"
    task, name = test_set(w, pair)
    is_named = f"{pair.source}-{pair.target}" in asked.test  # which is checked
    there = is_named or name in w.sources.sets[task]
    return "" if there else f"has no parallel text to be tested on ({name})"


def directions(pair: LexiconPair) -> list[TranslationDirection]:
    """Return both directions of a pair."""
    return [TranslationDirection(pair, side) for side in (0, 1)]


def trained(w: Workflow) -> dict[str, str]:
    """Return the trained systems, each with the system of vectors that initialises it."""
    asked = section(w)
    if asked is None:
        return {}
    systems = present(asked.systems)
    return systems | ({SUPERVISED: systems[asked.supervised]} if asked.supervised else {})


def seeds(w: Workflow, system: str) -> list[int]:
    """Return the seeds of a system; the upper line has only the first by default."""
    asked = section(w)
    return asked.seeds[: asked.supervised_seeds] if system == SUPERVISED else asked.seeds


def data(w: Workflow, system: str) -> str:
    """Return the form of a system's text: `texts`, `halves`, `alternating`, or `pairs` of the upper line."""
    return "pairs" if system == SUPERVISED else section(w).text


def text_files(w: Workflow, system: str, pair: LexiconPair) -> list[str]:
    """Return the texts that a system is trained on, source and target: of parallel text the named, else the first."""
    languages = pair.source, pair.target
    if data(w, system) == "texts":
        return [text_of(w, language) for language in languages]
    name = section(w).train.get("-".join(languages)) or training_bitext(w, languages)[0]
    return [text_in(w, "bitext", name, language) for language in languages]


def test_set(w: Workflow, pair: LexiconPair) -> tuple[str, str]:
    """Return task and name of a pair's test set: the named set, else a bitext for tests, else gold alignments."""
    named, bitext = section(w).test.get(f"{pair.source}-{pair.target}"), w.sources.sets["bitext"]
    both = of_pair(w, "bitext", (pair.source, pair.target))
    names = [named] if named else [name for name in both if bitext[name].get("use") == "test"]
    return ("bitext", names[0]) if names else ("gold_alignment", f"{pair.source}-{pair.target}")


def test_files(w: Workflow, direction: TranslationDirection) -> dict[str, str]:
    """Return the source text and the reference of a direction."""
    task, name = test_set(w, direction.pair)
    source, target = (text_in(w, task, name, language) for language in direction.languages)
    return {"source": source, "reference": target}


def system_folder(w: Workflow, pair: str, system: str, seed: object) -> str:
    """Return the folder of a trained system."""
    return f"{folder(w)}/systems/{pair}/{system}/seed{seed}"


def translations(w: Workflow, direction: TranslationDirection, system: str, seed: object) -> str:
    """Return the folder of a trained system's translations of the test set."""
    return f"{folder(w)}/translations/{direction.pair.name}/{system}/seed{seed}.{direction.name}"


def baselines(w: Workflow) -> dict[str, str | None]:
    """Return the baselines, each with the system whose vectors look up words; None for the copy."""
    return {COPY: None} | {f"{WORDS}+{name}": name for name in trained(w) if name != SUPERVISED}


def baseline_seeds(w: Workflow, name: str) -> list[int]:
    """Return the seeds of a baseline. The copy is the same for all."""
    return section(w).seeds[:1] if name == COPY else section(w).seeds


def baseline_file(w: Workflow, direction: TranslationDirection, name: str, seed: int) -> str:
    """Return the translations of a baseline."""
    return f"{folder(w)}/baselines/{direction.pair.name}/{name}.seed{seed}.{direction.name}.txt"


def score_file(w: Workflow, direction: TranslationDirection, name: str, seed: int) -> In:
    """Return the scores of a system or baseline."""
    of_pair = f"{folder(w)}/scores/{direction.pair.name}"
    return In(f"{of_pair}/{name}.seed{seed}.{direction.name}.json", of_pair)


def scored(w: Workflow) -> dict[str, list[int]]:
    """Return all scored systems with their seeds: baselines, trained systems, the upper line."""
    return {name: baseline_seeds(w, name) for name in baselines(w)} | {n: seeds(w, n) for n in trained(w)}


def translation_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs of translation."""
    for pair in pairs(w):
        for system in trained(w):
            for seed in seeds(w, system):
                yield _training(w, pair, system, seed)
                yield _translating(w, pair, system, seed)
        yield _translating_words(w, pair)
        yield _scoring(w, pair)


def _vectors(w: Workflow, system: str, pair: LexiconPair, seed: int) -> list[In]:
    return [In(w.systems[trained(w)[system]].final(pair, seed, f"{side}.vec")) for side in SIDES]


def _training(w: Workflow, pair: LexiconPair, system: str, seed: int) -> Job:
    """Return the job that trains a system. Words that the vectors share are one parameter."""
    own = w.systems[trained(w)[system]]
    embeddings, shared = own.embeddings, ["shared.txt"] if own.shares_words else []
    options = {
        "text": [In(path) for path in text_files(w, system, pair)],
        "vectors": _vectors(w, system, pair, seed),
        "shared": [In(vectors.space(w, embeddings, pair, seed, name)) for name in shared],
        "languages": [pair.source, pair.target],
        "data": data(w, system),
        "set": settings_words(section(w).settings),
        "seed": seed,
    } | w.on_gpu
    name, made = f"{pair.name}.{system}.seed{seed}", [system_folder(w, pair.name, system, seed)]
    return Job("train_translation.py", f"train_translation/{name}", options=options, makes=made)


def _translating(w: Workflow, pair: LexiconPair, system: str, seed: int) -> Job:
    lines = [
        {
            "system": In(system_folder(w, pair.name, system, seed)), "to": direction.languages[1],
            "input": In(test_files(w, direction)["source"]), "out": translations(w, direction, system, seed),
        }
        for direction in directions(pair)
    ]  # fmt: skip
    name = f"translate/{pair.name}.{system}.seed{seed}"
    return Job("translate.py", name, lines, {"every_epoch": True, "beam": section(w).beam} | w.on_gpu)


def _translating_words(w: Workflow, pair: LexiconPair) -> Job:
    lines = []
    for direction in directions(pair):
        for name, system in baselines(w).items():
            for seed in baseline_seeds(w, name):
                files = _vectors(w, system, pair, seed) if system else ["", ""]
                lines.append({
                    "source": files[direction.side], "target": files[1 - direction.side],
                    "input": In(test_files(w, direction)["source"]), "language": direction.languages[0],
                    "out": baseline_file(w, direction, name, seed),
                })  # fmt: skip
    retrieval = "crosslingua.lexicon_induction.retrieval"
    return Job("translate_words.py", f"translate_words/{pair.name}", lines, members=[retrieval])


def _scoring(w: Workflow, pair: LexiconPair) -> Job:
    lines = []
    for direction in directions(pair):
        text = {name: In(path) for name, path in test_files(w, direction).items()}
        target = direction.languages[1]
        told = w.sources.languages[target].get("from", WORLD) == WORLD  # the world's text stays tokenised
        for name, trained_with in scored(w).items():
            for seed in trained_with:
                hypothesis = In(translations(w, direction, name, seed))
                if name in baselines(w):
                    made_by = f"{folder(w)}/baselines/{pair.name}"
                    hypothesis = In(baseline_file(w, direction, name, seed), made_by)
                lines.append({
                    **text, "hypothesis": hypothesis, "language": None if told else target,
                    "out": str(score_file(w, direction, name, seed)),
                })  # fmt: skip
    return Job("score_translation.py", f"score_translation/{pair.name}", lines)


def sample_briefs(w: Workflow) -> list[str]:
    """Write which translations of the first seed the results page shows side by side; return the files."""
    briefs = []
    for direction in (one for pair in pairs(w) for one in directions(pair)):
        seed = section(w).seeds[0]
        files = test_files(w, direction)
        files |= {name: f"{translations(w, direction, name, seed)}/chosen.txt" for name in trained(w)}
        shown = {"direction": direction.name, "seed": seed, "samples": section(w).samples, **SAMPLE_WORDS}
        name = f"translation_samples/{direction.pair.name}.{direction.name}"
        briefs.append(w.brief(name, {**shown, "files": files}))
    return briefs


def check_translation(w: Workflow) -> None:
    """Raise ConfigError when the section names an unknown member or setting."""
    asked = section(w)
    if asked is None:
        return
    named = () if isinstance(asked.pairs, int) else asked.pairs or ()
    check_defined(f"{KEY}.pairs", named, w.config.pairs, "pairs")
    for name, vectors_of in present(asked.systems).items():
        check_defined(f"{KEY}.systems.{name}", vectors_of, w.systems, SYSTEMS)
    check_defined(f"{KEY}.seeds", map(str, asked.seeds), list(map(str, w.seeds)), "seeds")
    if asked.supervised:
        check_defined(f"{KEY}.{SUPERVISED}", asked.supervised, present(asked.systems), f"{KEY}.systems")
    try:
        settings_of(asked.settings)
    except ConfigError as error:
        raise ConfigError(f"{KEY}.settings: {error}") from None
    for pair in pairs(w):
        name = f"{pair.source}-{pair.target}"
        task, test = test_set(w, pair)
        if name in asked.test:
            check_defined(f"{KEY}.test.{name}", test, w.sources.sets[task], "parallel text")
        if name in asked.train:
            there = training_bitext(w, (pair.source, pair.target))
            check_defined(f"{KEY}.train.{name}", [asked.train[name]], there, "parallel text to train on")
        if lacking := _lacks(w, pair):
            raise ConfigError(f"{KEY}: {name}: {lacking}")
