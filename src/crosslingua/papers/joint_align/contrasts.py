"""What statements compare besides systems as they are: what refinement gains, and a quarter of what others reach."""

from __future__ import annotations

from collections.abc import Callable

from crosslingua.claims.evidence import Evidence, Values

MAPPERS = ("rcsls", "geomm", "muse")  # the paper's, each of which refines jointly trained vectors
ALIGNMENTS = ("procrustes", "iterative_norm", "rcsls", "geomm", "muse", "vecmap")


def add_refinement_gains(found: Evidence) -> None:
    """Add, item by item, what refinement gains: `gain_MAPPER` after vocabulary reallocation, and without it.

    `gain_MAPPER` is joint_align less joint_vr, `gain_without_reallocation_MAPPER` joint_ar less joint.
    """
    for mapper in MAPPERS:
        _add(found, f"gain_{mapper}", (f"joint_align_{mapper}", "joint_vr"), _difference)
        _add(found, f"gain_without_reallocation_{mapper}", (f"joint_ar_{mapper}", "joint"), _difference)


def add_quarters(found: Evidence) -> None:
    """Add a quarter of what each alignment method reaches, `quarter_of_METHOD`."""
    for name in ALIGNMENTS:
        _add(found, f"quarter_of_{name}", (name,), _quarter)


def _add(found: Evidence, name: str, made_of: tuple[str, ...], make: Callable[..., Values]) -> None:
    """Add `name` for the pairs and seeds that all systems it is made of have; a failed run of one is a failed run."""
    for pair, systems in found.values.items():
        known = [systems[system] for system in made_of if system in systems]
        if len(known) == len(made_of):
            for seed in set.intersection(*map(set, known)):
                found.add(pair, name, seed, make(*(values[seed] for values in known)))
    found.failed += [(pair, name, seed) for pair, system, seed in found.failed if system in made_of]


def _difference(values: Values, base: Values) -> Values:
    return {item: value - base[item] for item, value in values.items() if item in base}


def _quarter(values: Values) -> Values:
    return {item: value / 4 for item, value in values.items()}
