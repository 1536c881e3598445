"""Jobs of machine translation: systems by their initial vectors, a supervised upper line, and baselines."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from crosslingua.errors import ConfigError, check_defined, given
from crosslingua.translation.settings import settings_of
from crosslingua.workflow import vectors
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.labelled import of_pair, text_in, training_bitext
from crosslingua.workflow.sections import TranslationSection
from crosslingua.workflow.sources import WORLD, present
from crosslingua.workflow.text import text_of
from crosslingua.workflow.vectors import SIDES, all_systems
from crosslingua.workflow.workflow import VECTORS, LexiconPair, Workflow, settings_words

SUPERVISED = "supervised"
COPY, WORDS = "copy", "word_by_word"
KEY = f"{VECTORS}.translation"
RETRIEVAL = "crosslingua.lexicon_induction.retrieval"
SAMPLE_WORDS = {"least": 5, "most": 14}  # of sentences on the results page


class Direction(NamedTuple):
    """A direction of translation: from side 0 or 1 of a pair's test set."""

    pair: LexiconPair
    side: int
    languages: tuple[str, str]

    @property
    def name(self) -> str:
        """`ana-ber`."""
        return "-".join(self.languages)


def directions(pair: LexiconPair) -> list[Direction]:
    """Return both directions of a pair."""
    both = pair.source, pair.target
    return [Direction(pair, 0, both), Direction(pair, 1, both[::-1])]


class Translation:
    """The systems of joint_align.translation, with their pairs and files. Open it with `Workflow.stage`."""

    def __init__(self, w: Workflow):
        self.w, self.folder, self.section = w, f"{w.results}/translation", w.vectors.translation
        self.trained: dict[str, str] = {}  # systems, each with the system of vectors that initialises it
        # Baselines, each with the system whose vectors look up words; None for the copy.
        self.baselines: dict[str, str | None] = {}
        self.every_seed: list[int] = []
        self.seeds: dict[
            str, list[int]
        ] = {}  # of all that is scored: baselines, trained systems, the upper line
        if asked := self.section:
            systems = present(asked.systems)
            every = w.seeds[: asked.seeds] if isinstance(asked.seeds, int) else asked.seeds
            self.every_seed = every
            self.baselines = {COPY: None, **{f"{WORDS}+{name}": name for name in systems}}
            upper = {SUPERVISED: systems[asked.supervised]} if asked.supervised in systems else {}
            self.trained = systems | upper
            self.seeds = dict.fromkeys([*self.baselines, *self.trained], every) | {COPY: every[:1]}
            if asked.supervised:
                self.seeds[SUPERVISED] = every[: asked.supervised_seeds]

    @property
    def asked(self) -> TranslationSection:
        """The section, which there is wherever there are pairs."""
        return given(self.section)

    @cached_property
    def pairs(self) -> list[LexiconPair]:
        """The pairs that are translated, each with its first dictionary, from which mappers learn. By default these
        are the pairs with the parallel text and the dictionary that the systems need.
        """
        if self.section is None:
            return []
        named, by_name = self.section.pairs, dict[str, LexiconPair]()
        for pair in self.w.lexicon_pairs.values():
            by_name.setdefault(f"{pair.source}-{pair.target}", pair)
        if isinstance(named, list):
            return [by_name[name] for name in named]
        return [pair for pair in by_name.values() if not self._lacks(pair)][:named]

    def _lacks(self, pair: LexiconPair) -> str:
        asked, languages = self.asked, (pair.source, pair.target)
        if (asked.text != "texts" or asked.supervised) and not training_bitext(self.w, languages):
            return "has no parallel text: set text: texts and supervised: null, or add some"
        needing = [name for name, of in self.trained.items() if all_systems(self.w)[of].needs_dictionary]
        if needing and not pair.dictionary:
            return f"has no dictionary, which {', '.join(needing)} need: take them out"
        task, name = self.test_set(pair)  # a named one is checked
        there = "-".join(languages) in asked.test or name in self.w.sources.sets[task]
        return "" if there else f"has no parallel text to be tested on ({name})"

    def data(self, system: str) -> str:
        """Return the form of a system's text: `texts`, `halves`, `alternating`, or `pairs` of the upper line."""
        return "pairs" if system == SUPERVISED else self.asked.text

    def text_files(self, system: str, pair: LexiconPair) -> list[str]:
        """Return the texts that a system is trained on, source and target: of parallel text the named or the first."""
        languages = pair.source, pair.target
        if self.data(system) == "texts":
            return [text_of(self.w, language) for language in languages]
        name = self.asked.train.get("-".join(languages)) or training_bitext(self.w, languages)[0]
        return [text_in(self.w, "bitext", name, language) for language in languages]

    def test_set(self, pair: LexiconPair) -> tuple[str, str]:
        """Return task and name of a pair's test set: the named set, else a bitext for tests, else gold alignments."""
        languages, bitext = (pair.source, pair.target), self.w.sources.sets["bitext"]
        named, both = self.asked.test.get("-".join(languages)), of_pair(self.w, "bitext", languages)
        names = [named] if named else [name for name in both if bitext[name].get("use") == "test"]
        return ("bitext", names[0]) if names else ("gold_alignment", "-".join(languages))

    def test_files(self, direction: Direction) -> dict[str, str]:
        """Return the source text and the reference of a direction."""
        task, name = self.test_set(direction.pair)
        source, target = (text_in(self.w, task, name, language) for language in direction.languages)
        return {"source": source, "reference": target}

    def translations(self, direction: Direction, system: str, seed: object) -> In:
        """Return the folder of a trained system's translations of the test set."""
        return In(f"{self.folder}/translations/{direction.pair.name}/{system}/seed{seed}.{direction.name}")

    def baseline_file(self, direction: Direction, name: str, seed: int) -> In:
        """Return the translations of a baseline."""
        of_pair = f"{self.folder}/baselines/{direction.pair.name}"
        return In(f"{of_pair}/{name}.seed{seed}.{direction.name}.txt", of_pair)

    def score_file(self, direction: Direction, name: str, seed: int) -> In:
        """Return the scores of a system or baseline."""
        of_pair = f"{self.folder}/scores/{direction.pair.name}"
        return In(f"{of_pair}/{name}.seed{seed}.{direction.name}.json", of_pair)

    def jobs(self) -> Iterator[Job]:
        """Yield the jobs of translation."""
        for pair in self.pairs:
            for system in self.trained:
                for seed in self.seeds[system]:
                    yield from self._system_jobs(pair, system, seed)
            yield self._words_job(pair)
            yield self._scoring_job(pair)

    def _vectors(self, system: str, pair: LexiconPair, seed: int) -> list[In]:
        read = all_systems(self.w)[self.trained[system]]
        return [In(read.final(pair, seed, f"{side}.vec")) for side in SIDES]

    def _system_jobs(self, pair: LexiconPair, system: str, seed: int) -> Iterator[Job]:
        """Yield the jobs that train a system and translate with it. Words that vectors share are one parameter."""
        w, begun, name = self.w, all_systems(self.w)[self.trained[system]], f"{pair.name}.{system}.seed{seed}"
        shared = ["shared.txt"] if begun.shares_words else []
        options = {
            "text": [In(path) for path in self.text_files(system, pair)],
            "vectors": self._vectors(system, pair, seed),
            "shared": [In(vectors.space(w, begun.embeddings, pair, seed, file)) for file in shared],
            "languages": [pair.source, pair.target],
            "data": self.data(system),
            "set": settings_words(self.asked.settings),
            "seed": seed,
        } | w.on_gpu
        folder = f"{self.folder}/systems/{pair.name}/{system}/seed{seed}"
        yield Job("train_translation.py", f"train_translation/{name}", options=options, makes=[folder])
        lines = [
            {
                "system": In(folder), "to": direction.languages[1], "input": In(self.test_files(direction)["source"]),
                "out": str(self.translations(direction, system, seed)),
            }
            for direction in directions(pair)
        ]  # fmt: skip
        options = {"every_epoch": True, "beam": self.asked.beam, **w.on_gpu}
        yield Job("translate.py", f"translate/{name}", lines, options)

    def _words_job(self, pair: LexiconPair) -> Job:
        lines = []
        for direction in directions(pair):
            for name, system in self.baselines.items():
                for seed in self.seeds[name]:
                    files = self._vectors(system, pair, seed) if system else ["", ""]
                    lines.append({
                        "source": files[direction.side], "target": files[1 - direction.side],
                        "input": In(self.test_files(direction)["source"]), "language": direction.languages[0],
                        "out": str(self.baseline_file(direction, name, seed)),
                    })  # fmt: skip
        return Job("translate_words.py", f"translate_words/{pair.name}", lines, members=[RETRIEVAL])

    def _scoring_job(self, pair: LexiconPair) -> Job:
        lines = []
        for direction in directions(pair):
            text = {name: In(path) for name, path in self.test_files(direction).items()}
            target = direction.languages[1]
            generated = (
                self.w.sources.languages[target].get("from", WORLD) == WORLD
            )  # such text stays tokenised
            for name, seeds in self.seeds.items():
                for seed in seeds:
                    file = self.baseline_file if name in self.baselines else self.translations
                    lines.append({
                        **text, "hypothesis": file(direction, name, seed),
                        "language": None if generated else target, "out": str(self.score_file(direction, name, seed)),
                    })  # fmt: skip
        return Job("score_translation.py", f"score_translation/{pair.name}", lines)

    def sample_briefs(self) -> list[str]:
        """Write which translations of the first seed the results page shows side by side; return the files."""
        briefs = []
        for direction in (one for pair in self.pairs for one in directions(pair)):
            seed = self.every_seed[0]
            files = self.test_files(direction)
            files |= {name: f"{self.translations(direction, name, seed)}/chosen.txt" for name in self.trained}
            shown = {
                "direction": direction.name,
                "seed": seed,
                "samples": self.asked.samples,
                **SAMPLE_WORDS,
            }
            name = f"translation_samples/{direction.pair.name}.{direction.name}"
            briefs.append(self.w.brief(name, {**shown, "files": files}))
        return briefs

    def check(self) -> None:
        """Raise ConfigError when the section names an unknown member or setting."""
        if (asked := self.section) is None:
            return
        w = self.w
        try:
            settings_of(asked.settings or {})
        except ConfigError as error:
            raise ConfigError(f"{KEY}.settings: {error}") from None
        for pair in self.pairs:
            name = f"{pair.source}-{pair.target}"
            task, test = self.test_set(pair)
            if name in asked.test:
                check_defined(f"{KEY}.test.{name}", test, w.sources.sets[task], "parallel text")
            if name in asked.train:
                there = training_bitext(w, (pair.source, pair.target))
                check_defined(f"{KEY}.train.{name}", [asked.train[name]], there, "parallel text to train on")
            if lacking := self._lacks(pair):
                raise ConfigError(f"{KEY}: {name}: {lacking}")
