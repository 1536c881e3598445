"""Made-up cards of an atlas, for tests of its page and of what writes it."""

from typing import Any

import numpy as np

KINDS = {
    "aligned": "rcsls",
    "joint": "joint_replace",
    "joint then mapped": "joint_ar_rcsls",
    "both": "joint_align_rcsls",
}
MORE = (
    "procrustes",
    "muse",
    "vecmap",
    "iterative_norm",
    "geomm",
    "joint",
    "joint_vr",
    "duong",
    "joint_align_geomm",
)
HELP = (
    "ca",
    "cs",
    "de",
    "en",
    "es",
    "et",
    "eu",
    "fi",
    "fr",
    "hu",
    "id",
    "it",
    "ko",
    "pl",
    "pt",
    "ru",
    "sl",
    "tr",
)
NOVELS = ("cs", "de", "es", "fr", "hu", "it", "pl", "pt", "sl")
LANGUAGES = {
    code: dict(zip(("name", "family", "branch", "script"), facts.split(), strict=True))
    for code, facts in {
        "ca": "Catalan Indo-European Romance Latin", "cs": "Czech Indo-European Slavic Latin",
        "de": "German Indo-European Germanic Latin", "en": "English Indo-European Germanic Latin",
        "es": "Spanish Indo-European Romance Latin", "et": "Estonian Uralic Finnic Latin",
        "eu": "Basque Basque Basque Latin", "fi": "Finnish Uralic Finnic Latin",
        "fr": "French Indo-European Romance Latin", "hu": "Hungarian Uralic Ugric Latin",
        "id": "Indonesian Austronesian Malayic Latin", "it": "Italian Indo-European Romance Latin",
        "ko": "Korean Koreanic Koreanic Hangul", "pl": "Polish Indo-European Slavic Latin",
        "pt": "Portuguese Indo-European Romance Latin", "ru": "Russian Indo-European Slavic Cyrillic",
        "sl": "Slovene Indo-European Slavic Latin", "tr": "Turkish Turkic Oghuz Latin",
    }.items()
}  # fmt: skip


def condition(
    values: dict[str, float],
    half: float = 1.5,
    supervision: str = "dictionary",
    words: str = "not spelt alike",
) -> dict[str, Any]:
    """Return a condition with these values by strategy, intervals of `half` to either side; 1.5 `half` of leads."""
    leader = max(values, key=values.__getitem__)
    gaps = [
        {"of": leader, "over": name, "effect": values[leader] - value}
        | {"low": values[leader] - value - 1.5 * half, "high": values[leader] - value + 1.5 * half}
        for name, value in values.items() if name != leader
    ]  # fmt: skip
    leads = {
        name: {"effect": value - values["aligned"]}
        | {"low": value - values["aligned"] - 1.5 * half, "high": value - values["aligned"] + 1.5 * half}
        for name, value in values.items() if name != "aligned"
    }  # fmt: skip
    return {
        "supervision": supervision, "words": words, "seeds": 3, "test_words": 188, "leader": leader,
        "best": leader if all(gap["low"] > 0 for gap in gaps) else "not told apart",
        "strategies": {
            name: {"system": KINDS[name], "value": value, "low": max(0, value - half), "high": min(100, value + half)}
            for name, value in values.items()
        },
        "comparisons": gaps, "leads": leads,
    }  # fmt: skip


def card(source: str, target: str, conditions: list[dict[str, Any]], **changed: Any) -> dict[str, Any]:
    """Return a card of help pages, with `changed` keys."""
    pair = f"{source}_a-{target}_b"
    scores = {
        one["words"]: {
            each["system"]: {str(seed): max(0, each["value"] + seed - 2) for seed in (1, 2, 3)}
            for each in one["strategies"].values()
        }
        for one in conditions if one["supervision"] == "dictionary"
    }  # fmt: skip
    statistics = {
        "text_words": [131_000, 98_000], "text_types": [9100, 12_400], "type_token_ratio": [0.31, 0.42],
        "spelt_alike": 12.3, "train_words": 477, "test_words": 188, "eigen_similarity": 13.2,
    }  # fmt: skip
    return {
        "pair": pair, "dictionary": "panlex", "languages": [source, target], "domain": "help pages",
        "command": f"make atlas TARGETS={pair}", "curve": {}, "statistics": statistics | changed.pop("statistics", {}),
        "seeds": [1, 2, 3], "conditions": conditions, "scores": scores, "reference": None, "minutes": 3.1,
    } | changed  # fmt: skip


def small() -> dict[str, Any]:
    """Return an atlas of four pairs: `joint` wins fi-hu, `both` en-hu (novels), nobody en-hu (help pages) and ru-tr."""
    both = {"aligned": 20.0, "joint": 21.0, "joint then mapped": 22.0, "both": 30.0}
    joint = {"aligned": 4.0, "joint": 12.5, "joint then mapped": 5.0, "both": 6.0}
    close = {"aligned": 8.0, "joint": 8.5, "joint then mapped": 7.0, "both": 9.0}
    pairs = [
        card("fi", "hu", [condition(joint), condition(both, words="all"), condition(close, supervision="none")]),
        card(
            "en", "hu", [condition(both), condition(both, words="all")], pair="en-hu", domain="novels",
            statistics={"text_words": [2_500_000, 2_000_000], "spelt_alike": 30.0},
        ),
        card("en", "hu", [condition(close), condition(joint, words="all")]),
        card(
            "ru", "tr", [condition(close), condition(close, words="all")],
            statistics={"text_words": [300_000, 400_000]},
        ),
    ]  # fmt: skip
    return {
        "pairs": pairs, "curves": [], "decides": None, "prediction": None, "statements": [], "averages": {},
        "families": {},
        "languages": LANGUAGES,
    }  # fmt: skip


def complete() -> dict[str, Any]:
    """Return the small atlas with learning curves, what decides, and a prediction."""
    rise = {"aligned": 2.0, "joint": 4.0, "joint then mapped": 3.0, "both": 5.0}
    without = {"aligned": 1.0, "joint": 2.0, "both": 3.0}
    curves = [
        card(
            "en", "hu", [condition(rise if size else without, supervision="dictionary" if size else "none")],
            pair=f"en-hu-{words}-{size}", curve={"of": "en-hu", "words": words, "dictionary": size},
        )
        for words, size in ((100_000, 500), (1_000_000, 500), (1_000_400, 0))
    ]  # fmt: skip
    sure, unsure = {"effect": 2.1, "low": 0.3, "high": 3.9}, {"effect": -0.5, "low": -2.0, "high": 1.0}
    leads = {
        kind: {"intercept": sure, "effects": {"log10 text words": sure, "same script": unsure}}
        for kind in ("joint", "joint then mapped", "both")
    }
    rule = {
        "right": 71.7,
        "right_low": 60.0,
        "right_high": 80.0,
        "regret": 0.4,
        "regret_low": 0.2,
        "regret_high": 0.6,
    }
    quarter = {"of": "joint", "over": "quarter_of_rcsls", "pairs": 46, "as_said": 45, "outcome": "holds"}
    statement = {
        "claim": "low", "statement": "Joint training is <b>low</b>.", "source": "table 2", "every_pair": True,
        "words": "not spelt alike", "verdict": "reproduced", "comparisons": [quarter | unsure],
    }  # fmt: skip
    said = {"predicted": "both", "right": False, "regret": 6.5, "expected": {"aligned": 6.1, "both": 7.2}}
    return small() | {
        "curves": curves,
        "decides": {
            "words": "not spelt alike",
            "pairs": 46,
            "languages": 17,
            "dropped": {"novels": "too few"},
        }
        | {"leads": leads},
        "statements": [statement],
        "averages": {
            "novels": {
                "pairs": 11,
                "languages": 9,
                "means": dict.fromkeys(KINDS, 20.25),
                "leads": {"both": sure},
                "dictionary": unsure,
                "encoder": None,
            }
        },
        "families": {
            "Uralic": {
                "pairs": 3,
                "languages": 3,
                "means": dict.fromkeys(KINDS, 4.5),
                "leads": {},
                "dictionary": None,
                "encoder": 16.55,
            }
        },
        "prediction": {"rules": {"predicted": rule, "always both": rule}, "beats_both": False}
        | {"left_out": "both languages of a pair", "by_pair": {"fi_a-hu_b": said}},
    }


def large(seed: int = 1) -> dict[str, Any]:
    """Return 49 drawn pairs of 18 languages and the curves of two."""
    random = np.random.default_rng(seed)
    every = [(a, b) for place, a in enumerate(HELP) for b in HELP[place + 1 :]]
    chosen = [("fi", "hu"), *(every[place] for place in random.permutation(len(every)))]
    pairs = [drawn(random, a, b) for a, b in list(dict.fromkeys(chosen))[:38]]
    novels = [("en", code) for code in NOVELS] + [("de", "fr"), ("it", "es")]
    pairs += [drawn(random, a, b, pair=f"{a}-{b}", domain="novels", dictionary="xling") for a, b in novels]
    curves = [
        drawn(random, "en", code, pair=f"{code}-{size}-{known}")
        | {"curve": {"of": f"en-{code}", "words": size, "dictionary": known}}
        for code in ("fr", "hu") for size in (101_204, 300_411, 1_000_120, 2_910_000) for known in (0, 100, 500, 2500)
    ]  # fmt: skip
    return small() | {"pairs": pairs, "curves": curves}


def drawn(random: np.random.Generator, source: str, target: str, **changed: Any) -> dict[str, Any]:
    novels = changed.get("domain") == "novels"
    level = random.uniform(14, 30) if novels else random.uniform(3, 12)
    gains = {
        "aligned": 0,
        "joint": random.normal(2, 3),
        "joint then mapped": random.normal(1, 2),
        "both": random.normal(3, 3),
    }
    conditions = []
    for supervision in ("dictionary", "none"):
        for words in ("not spelt alike", "all"):
            factor = (1 if words != "all" else 1.7) * (1 if supervision != "none" else 0.5)
            values = {name: max(0.5, factor * (level + gain)) for name, gain in gains.items()}
            if supervision == "none":
                del values["joint then mapped"]
            conditions.append(condition(values, 0.8 if novels else 1.6, supervision, words))
    made = card(
        source, target, conditions,
        statistics={
            "text_words": [int(10 ** random.uniform(*((6.25, 6.6) if novels else (5.1, 5.7)))) for _ in "ab"],
            "spelt_alike": random.uniform(3, 32), "train_words": 2711 if novels else 477,
            "eigen_similarity": random.uniform(4, 20), "type_token_ratio": [*random.uniform(0.1, 0.4, 2)],
        },
        reference={"all": 61.0, "not spelt alike": 52.1}, **changed,
    )  # fmt: skip
    for scores in made["scores"].values():
        scores |= {
            name: {str(seed): max(0.2, level - 3 + random.normal()) for seed in (1, 2, 3)} for name in MORE
        }
    return made
