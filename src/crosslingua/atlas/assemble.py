"""Cards of pairs, read and checked, put together to what the atlas's page and `ask` read."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from crosslingua.atlas.averages import averages, domain, families
from crosslingua.atlas.decides import decides
from crosslingua.atlas.languages import facts
from crosslingua.atlas.prediction import predict
from crosslingua.atlas.statements import judged
from crosslingua.claims.statements import Claim
from crosslingua.errors import InputError
from crosslingua.io.json import read_json

Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Percent = Annotated[Finite, Field(ge=0, le=100)]
Count = Annotated[int, Field(strict=True, ge=0)]
Two = Field(min_length=2, max_length=2)
Kind = Literal["aligned", "joint", "joint then mapped", "both"]
Words = Literal["all", "not spelt alike"]


class Curve(BaseModel):
    """What a point of a learning curve is of: the pair, the words of its smaller text, its dictionary words, and the
    sentence pairs of the bitext that they are from, if so.
    """

    of: str = ""
    words: Count = 0
    dictionary: Count = 0
    bitext: Count = 0


class Statistics(BaseModel):
    """Numbers of a pair's texts and dictionary."""

    text_words: Annotated[list[Count], Two]
    text_types: Annotated[list[Count], Two]
    type_token_ratio: Annotated[list[Finite], Two]
    spelt_alike: Percent
    train_words: Count
    test_words: Count
    eigen_similarity: Finite | None


class Strategy(BaseModel):
    """P@1 in % of a strategy's best system."""

    system: str
    value: Percent
    low: Percent
    high: Percent


class Comparison(BaseModel):
    """The lead of a strategy over another, in points of P@1."""

    of: Kind
    over: Kind
    effect: Finite
    low: Finite
    high: Finite


class Condition(BaseModel):
    """What a pair says with or without a dictionary on some test words."""

    supervision: Literal["dictionary", "none"]
    words: Words
    seeds: Count
    test_words: Count
    leader: Kind
    best: Kind | Literal["not told apart"]
    level: list[Kind] = []
    strategies: Annotated[dict[Kind, Strategy], Field(min_length=2)]
    comparisons: Annotated[list[Comparison], Field(min_length=1)]


class Card(BaseModel):
    """What is known of a pair. Further keys are kept."""

    pair: str
    dictionary: str
    languages: Annotated[list[str], Two]
    domain: str
    command: str
    curve: Curve
    statistics: Statistics
    seeds: list[Count]
    conditions: list[Condition]
    scores: dict[Words, dict[str, dict[str, Percent]]]
    reference: dict[Words, Percent] | None = None
    minutes: Finite | None = None
    dictionary_words: Count = 0
    spelling: Percent | None = None


REMEDY = "make the pair's card again"


def read_cards(paths: Iterable[str | Path]) -> list[dict[str, Any]]:
    """Return the cards of files. Raises InputError, with the file and the remedy, for one that is damaged and for two
    of one pair and dictionary.
    """
    cards: dict[tuple[str, str], tuple[str | Path, dict[str, Any]]] = {}
    for path in paths:
        card = read_json(path, dict)
        try:
            Card.model_validate(card)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise InputError(path, f"{place}: {first['msg']}", remedy=REMEDY) from None
        for one in card["conditions"]:
            if one["leader"] not in one["strategies"] or one["best"] not in (one["leader"], "not told apart"):
                raise InputError(path, f"conditions: {one['leader']!r} can't lead there", remedy=REMEDY)
        if card["curve"] and not {"of", "words", "dictionary"} <= {*card["curve"]}:
            raise InputError(path, "curve: it needs of, words and dictionary", remedy=REMEDY)
        if before := cards.get(key := (card["pair"], card["dictionary"])):
            raise InputError(path, f"{before[0]} is of {' and '.join(key)} too", remedy="name one of the two")
        cards[key] = path, card
    return [card for _, card in cards.values()]


def assemble(cards: Iterable[Mapping[str, Any]], claims: Iterable[Claim] = ()) -> dict[str, Any]:
    """Return the atlas of cards: `pairs`, `curves` (points of learning curves, with the pair itself), `averages` by
    domain and by `families`, `decides` and `prediction`, which are None where pairs are too few, the `statements` that
    claims make about lexicons, and the `languages`' facts by code. Raises ConfigError for an unknown language.
    """
    cards = list(cards)
    pairs = [card for card in cards if not card["curve"]]
    points = [card for card in cards if card["curve"]]
    drawn = {card["curve"]["of"] for card in points}
    points += [_as_point(card) for card in pairs if card["pair"] in drawn]
    codes = sorted({code for card in cards for code in card["languages"]})
    return {
        "pairs": pairs,
        "curves": points,
        "averages": averages(pairs, domain),
        "families": averages(pairs, families),
        "decides": decides(pairs),
        "prediction": predict(pairs),
        "statements": judged(pairs, claims),
        "languages": {code: facts(code) for code in codes},
    }


def _as_point(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the card of a pair as a point of its own learning curve."""
    words = min(card["statistics"]["text_words"])
    return {**card, "curve": {"of": card["pair"], "words": words, "dictionary": card["dictionary_words"]}}
