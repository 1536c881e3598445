"""Word aligners: sentence pairs of words to links between their words (docs/methods/word-alignment.md)."""

from dataclasses import fields

from crosslingua.registry import Member, Registry, at

VECTORS = ("vectors",)
DIAGONAL = "diagonal"  # the control


class Aligners(Registry):
    """The word aligners, with their settings and need of vectors, which are known without an import of torch."""

    def _outside(self, target: str) -> Member:
        """Return the record of another package's aligner, which needs vectors if it has a field `embed`."""
        return Member(
            target, needs=VECTORS if any(field.name == "embed" for field in fields(at(target))) else ()
        )


def _member(place: str, settings: str, needs: tuple[str, ...] = ()) -> Member:
    return Member(f"{__name__}.{place}", needs, f"{__name__}.settings:{settings}")


ALIGNERS = Aligners(
    "word aligner",
    {
        "fast_align": _member("fast_align:FastAlign", "FastAlignSettings"),
        "gibbs": _member("gibbs:Gibbs", "GibbsSettings"),
        DIAGONAL: Member(f"{__name__}.diagonal:Diagonal"),
        "simalign_argmax": _member("simalign:SimAlignArgmax", "ArgmaxSettings", VECTORS),
        "simalign_itermax": _member("simalign:SimAlignItermax", "ItermaxSettings", VECTORS),
        "optimal_transport": _member("optimal_transport:OptimalTransport", "TransportSettings", VECTORS),
    },
    group="crosslingua.aligners",
)
