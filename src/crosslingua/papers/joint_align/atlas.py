"""The atlas: a card for each language pair, and the page of all cards (docs/atlas.md)."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from crosslingua.cells import Cell, cell_line
from crosslingua.errors import ConfigError
from crosslingua.io.decode import base_language
from crosslingua.papers.joint_align.section import AtlasSection
from crosslingua.places import code, suite
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.labelled import side_of
from crosslingua.workflow.sources import bitext_of
from crosslingua.workflow.text import text_of
from crosslingua.workflow.vectors import SIDES, dictionary_part, space
from crosslingua.workflow.workflow import LexiconPair, Workflow

FILES = ("atlas.json", "atlas.html")
LOOKS = (
    "atlas/page/atlas.html.jinja",
    "atlas/page/atlas.css",
    "atlas/page/atlas.js",
    "report/page/style.css",
)


class Atlas:
    """The cards of all pairs with a dictionary, and what is made of them."""

    def __init__(self, w: Workflow, section: AtlasSection, strategies: dict[str, str]):
        self.w, self.section, self.strategies = w, section, strategies
        self.pairs = [pair for pair in w.lexicon_pairs.values() if pair.dictionary]
        self.folder = f"{w.results}/atlas"

    def check(self) -> None:
        """Raise ConfigError where no pair has a dictionary, or a pair is of no domain."""
        if not self.pairs:
            raise ConfigError(
                "joint_align.atlas: no pair has a dictionary, by which its strategies are compared"
            )
        for pair in self.pairs:
            self.domain(pair)

    def domain(self, pair: LexiconPair) -> str:
        """Return what a pair's texts are: the first domain whose pattern its languages match."""
        names = f"{pair.source}-{pair.target}"
        for domain, pattern in self.section.domains.items():
            if fnmatchcase(names, pattern):
                return domain
        raise ConfigError(
            f"joint_align.atlas.domains: no pattern matches {names}: add one, * for all other pairs"
        )

    def point_of(self, pair: LexiconPair) -> str | None:
        """Return the pair whose learning curve has this one, with its dictionary, as a point."""
        found = (of for of, pattern in self.section.curves.items() if fnmatchcase(pair.name, pattern))
        return next(found, None)

    def card(self, pair: LexiconPair) -> str:
        """Return the card of a pair."""
        return f"{self.folder}/cards/{pair.name}.json"

    def target(self, pair: LexiconPair) -> str:
        """Return the target that makes a pair's card: its texts; with the dictionary for a point of a curve whose texts
        have a pair of their own.
        """
        own = [one for one in self.pairs if (one.source, one.target) == (pair.source, pair.target)]
        alone = not self.point_of(pair) or all(map(self.point_of, own))
        return f"{pair.source}-{pair.target}" if alone else pair.name

    def targets(self) -> dict[str, list[str]]:
        """Return the files of each target: `atlas`; a pair by the names of its texts, and by its languages if it is no
        point of a curve.
        """
        found = {"atlas": [f"{self.folder}/{name}" for name in FILES]}
        for pair in self.pairs:
            names = [self.target(pair)]
            if not self.point_of(pair):
                names.append("-".join(map(base_language, (pair.source, pair.target))))
            for name in dict.fromkeys(names):
                found.setdefault(name, []).append(self.card(pair))
        return found

    def jobs(self, cells: dict[LexiconPair, list[Cell]]) -> Iterator[Job]:
        """Yield the jobs that write the cards from the scored cells of each pair, and the page."""
        for pair in self.pairs:
            yield self._card_job(pair, cells[pair])
        options = {
            "cards": [In(self.card(pair)) for pair in self.pairs],
            "claims": In(suite("reference/joint_align_claims.yaml")),
            "schema": In(suite("schemas/claims.schema.yaml")),
        }
        looks = [code(f"crosslingua/{name}") for name in LOOKS]
        yield Job("write_atlas.py", "atlas", options=options, reads=looks)

    def _card_job(self, pair: LexiconPair, cells: list[Cell]) -> Job:
        languages = pair.source, pair.target
        entry = self.w.sources.dictionaries[pair.dictionary]
        bitext = side_of(self.w, "bitext", bitext_of(entry, languages), 0) if "bitext" in entry else None
        options = {
            "pair": "-".join(languages),
            "domain": self.domain(pair),
            "command": f"make {self.w.scale} TARGETS={self.target(pair)}",
            "point_of": self.point_of(pair),
            "bitext": In(bitext) if bitext else None,
            "strategies": [f"{name}={kind}" for name, kind in self.strategies.items()],
            "text": [In(text_of(self.w, language)) for language in languages],
            "counts": [In(f"{self.w.corpora}/counts/{language}.tsv") for language in languages],
            "train": dictionary_part(self.w, pair, "train"),
            "test": dictionary_part(self.w, pair, "test"),
            "min_count": self.w.config.word_embeddings["minCount"],
            "vectors": [
                In(space(self.w, "independent", pair, self.w.seeds[0], f"{side}.vec")) for side in SIDES
            ],
        }
        return Job("write_card.py", f"card/{pair.name}", [cell_line(cell) for cell in cells], options)
