"""What the paper asks for: lexicons of its systems, on every pair with a dictionary."""

from crosslingua.cells import Cell
from crosslingua.workflow import lexicon_induction
from crosslingua.workflow.paper import Paper
from crosslingua.workflow.results import TableRequest
from crosslingua_plugin.compared_maps.section import ComparedMapsSection


class ComparedMaps(Paper[ComparedMapsSection]):
    """One table: P@1 by system and pair."""

    name = "compared_maps"

    def cells(self, group: str) -> list[Cell]:
        """Return a cell for each system, pair and seed."""
        return [
            Cell(
                self.name, "table1", system, "bli", pair.source, pair.target, seed,
                lexicon_induction.score_file(self.w, system, pair, seed), ("precision=p_at_1",),
                where="identical=kept", conditions={"dictionary": pair.dictionary},
            )
            for pair in self.w.lexicon_pairs.values()
            for system in self.section.systems
            for seed in self.w.seeds
        ]  # fmt: skip

    def tables(self) -> dict[str, TableRequest]:
        """Return the request of the table."""
        return {"table1": TableRequest()}


PAPER = ComparedMaps
