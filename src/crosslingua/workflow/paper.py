"""A paper as a value: its section of the configuration, typed, and what the stages ask it for."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from crosslingua.cells import Cell
from crosslingua.workflow.encoder_alignment import AlignedEncoder
from crosslingua.workflow.fine_tuning import Tuning
from crosslingua.workflow.jobs import Job
from crosslingua.workflow.results import MAIN, Drawing, TableRequest
from crosslingua.workflow.runs import Run, Tokeniser
from crosslingua.workflow.sections import Section
from crosslingua.workflow.tagging import Compared, Mixture, TaggerRun
from crosslingua.workflow.word_alignment import Alignment
from crosslingua.workflow.workflow import LexiconPair, Workflow, once

S = TypeVar("S", bound=Section)


class Paper(ABC, Generic[S]):
    """What stages ask a paper for. The abstract methods must be written; the others ask for nothing."""

    name: ClassVar[str]
    targets: ClassVar[
        Mapping[str, str]
    ] = {}  # Snakemake's targets beside the paper: {target: group of cells}
    early: ClassVar[str] = ""  # the group whose tables are on the page before all others are made

    def __init_subclass__(cls) -> None:
        """Compute once what stages ask for."""
        for name in vars(Paper).keys() & vars(cls).keys() - {"__init__", "__init_subclass__"}:
            if callable(method := vars(cls)[name]):
                setattr(cls, name, once(method))

    def __init__(self, w: Workflow):
        self.w = w
        self.section: S = w.section(self.name)
        self.computed: dict[Hashable, Any] = {}  # of methods marked `once`

    @abstractmethod
    def cells(self, group: str) -> list[Cell]:
        """Return the cells of a group, in the order of tables."""

    @abstractmethod
    def tables(self) -> dict[str, TableRequest]:
        """Return the tables by name."""

    def check(self) -> None:
        """Raise ConfigError when the section cannot be used. Its references (`Refers`) are checked before."""

    def stages(self) -> tuple[Callable[[Workflow], None], ...]:
        """Return the checks of the stages that it reads."""
        return ()

    def unread(self) -> Collection[str]:
        """Return the keys of the section that a scale does not read: what they refer to need not be there."""
        return ()

    def groups(self) -> list[str]:
        """Return the groups of cells: the main one, those that are targets, and the ablations."""
        return [MAIN]

    def drawings(self) -> dict[str, Drawing]:
        """Return the figures by name."""
        return {}

    def evidence(self, group: str) -> Mapping[str, Any]:
        """Return the files, by name, that statements are tested on besides the cells of a group."""
        return {}

    def encoders(self) -> dict[str, Run]:
        """Return the pre-trainings by the name of the encoder, besides those of `encoders.multilingual`."""
        return {}

    def tokenisers(self) -> dict[str, Tokeniser]:
        """Return the tokenisers by name, besides those of `encoders.multilingual`."""
        return {}

    def encoder_runs(self) -> dict[int, int]:
        """Return the training run of the encoders that the run of each seed reads."""
        return {}

    def fine_tunings(self) -> dict[str, list[Tuning]]:
        """Return the fine-tunings of each group."""
        return {}

    def taggers(self) -> dict[str, list[TaggerRun]]:
        """Return the taggers of each group."""
        return {}

    def aligned_encoders(self) -> list[AlignedEncoder]:
        """Return the encoders that are aligned."""
        return []

    def alignments(self) -> list[Alignment]:
        """Return the word alignments."""
        return []

    def mixtures(self) -> list[Mixture]:
        """Return the labelled sets that are made of parts of others."""
        return []

    def comparisons(self) -> list[Compared]:
        """Return the comparisons of two systems' tags."""
        return []

    def probes(self, group: str) -> list[dict[str, Any]]:
        """Return the lines of a group that score how far an encoder's word embeddings are aligned."""
        return []

    def exports(self) -> dict[str, list[dict[str, str]]]:
        """Return, by group, the lines that lay predictions out for another program's evaluation."""
        return {}

    def similarity(self, pair: LexiconPair) -> list[dict[str, Any]]:
        """Return the lines that measure the similarity of translations in a pair's vectors."""
        return []

    def hubness(self, pair: LexiconPair) -> list[dict[str, Any]]:
        """Return the lines that measure hubs in a pair's vectors."""
        return []

    def strategies(self) -> dict[str, str]:
        """Return the strategy of each system that the answer compares: joint, aligned or both."""
        return {}

    def jobs(self) -> list[Job]:
        """Return further jobs, of what is neither table nor figure."""
        return []

    def further(self) -> dict[str, list[str]]:
        """Return further targets with their files, which are made with the main group too."""
        return {}

    def shown(self) -> dict[str, list[str]]:
        """Return further files that the results page shows."""
        return {}

    def explored(self) -> dict[str, Any]:
        """Return the files and settings of words that the results page lets a reader search."""
        return {}
