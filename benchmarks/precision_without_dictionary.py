"""Measure and fit what `crosslingua ask` says of precision where there is no dictionary.

    python benchmarks/precision_without_dictionary.py worlds --numbers 1 40 --out observations.csv
    python benchmarks/precision_without_dictionary.py texts --name en-de --source en.txt --target de.txt \\
        --dictionary en-de.txt --out observations.csv
    python benchmarks/precision_without_dictionary.py run --folder results/demo --pair ana-ber.world --out demo.csv
    python benchmarks/precision_without_dictionary.py fit observations.csv ...

`worlds` draws pairs of invented languages, each with parameters and sizes of its own; `texts` takes prepared text
(scripts/prepare_text.py --lowercase) and a dictionary. Both train and align the systems of `crosslingua ask`; `run`
reads those of a finished run. Each adds a line a system to a CSV file. `fit` writes the model of all lines,
src/crosslingua/lexicon_induction/precision.json.
"""

import argparse
import csv
import logging
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.optimize import lsq_linear
from scipy.stats import spearmanr

from crosslingua.corpora.counting import count_words
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import build_family
from crosslingua.corpora.world.text import make_dictionary, text_blocks
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.json import read_json, write_json
from crosslingua.io.vectors import read_vectors
from crosslingua.lexicon_induction.bli import gold_translations
from crosslingua.lexicon_induction.degenerate import is_degenerate
from crosslingua.lexicon_induction.precision import (
    FITTED,
    KINDS,
    OTHERS,
    SHARES,
    Estimate,
    Translated,
    criteria,
    inputs,
    leader,
    log_odds,
)
from crosslingua.mappers.mapper import build
from crosslingua.mappers.refinement import refine
from crosslingua.vocabulary_reallocation.spaces import JointVocabulary, unsupervised_values
from crosslingua.word_embeddings.fasttext import FastText

STRATEGIES = {"vecmap": "aligned", "joint": "joint", "joint_vr": "joint", "joint_align_identity": "both"}
GAMMA = (0.7, 0.8, 0.9, 0.95)
SEEDS = (1, 2)
log = logging.getLogger(__name__)


def drawn_family(number: int) -> tuple[dict, dict[str, int]]:
    """Return two languages that `number` draws, and how many sentences of each are told."""
    rng = np.random.default_rng(number)

    def share(most: float) -> float:
        return round(float(rng.uniform(0, most)), 3)

    def either(*values):
        return values[rng.integers(len(values))]

    def language() -> dict:
        onsets = (
            list(rng.choice(list("bcdfghjklmnprstvz"), 11, replace=False))
            + ["st", "kr", "pl"][: rng.integers(4)]
        )
        return {
            "word_order": either("SVO", "SVO", "SOV", "VSO", "OVS"),
            "adjectives": either("before", "after"),
            "adpositions": either("before", "after"),
            "genitives": either("before", "after"),
            "articles": either("none", "definite", "both"),
            "fronting": share(0.5),
            "compounding": bool(rng.random() < 0.3),
            "syllables": {"onsets": [str(o) for o in onsets], "nuclei": list("aeiou"), "codas": list("nrs"),
                          "closed": share(0.6)},
            "morphology": {"fusion": either("agglutinating", "fusional"), "agreement": bool(rng.random() < 0.5),
                           "object": either("none", "case"), "genitive": either("adposition", "case"),
                           "future": either("auxiliary", "suffix"), "negation": either("particle", "suffix")},
            "synonyms": share(0.1), "polysemy": share(0.1), "homographs": share(0.3),
        }  # fmt: skip

    alike = rng.random() < 0.6  # languages of one kind that tell of the same
    latin = rng.random() < 0.7
    identical = share(0.8)
    related = {"to": "one", "cognates": share(0.5), "identical": share(0.6), "false_friends": share(0.1),
               "sound_changes": {"c": "k", "p": "f", "t": "d"}}  # fmt: skip
    one = language()
    two = (one if alike else language()) | {
        "syllables": language()["syllables"],
        "script": "latin" if latin else either("cyrillic", "greek"),
        "relations": [related],
        "names": {"identical": identical, "adapted": round(0.9 * (1 - identical), 3)},
        "domain_shift": share(0.15 if alike else 0.8),
        "code_switching": {"one": {"words": share(0.01), "sentences": share(0.01)}},
    }
    world = {
        "topics": int(rng.integers(8, 40)), "nouns": int(rng.integers(100, 350)), "verbs": int(rng.integers(60, 130)),
        "adjectives": int(rng.integers(30, 100)), "zipf": round(float(rng.uniform(0.5, 1.1)), 2),
        "selectivity": round(float(np.exp(rng.uniform(np.log(0.01), np.log(0.05 if alike else 0.2)))), 3),
        "topicality": share(0.6),
        "names": dict.fromkeys(("given", "family", "place", "organisation", "work"), int(rng.integers(20, 80))),
    }  # fmt: skip
    few, many = (9000, 22000) if alike else (3000, 8000)
    sizes = {code: int(np.exp(rng.uniform(np.log(few), np.log(many)))) for code in ("one", "two")}
    return {"world": world, "languages": {"one": one, "two": two}}, sizes


def measure_world(number: int, folder: Path) -> list[dict]:
    """Draw a world, and measure its pair."""
    content, sizes = drawn_family(number)
    world = World(build_family(content), number)
    texts = []
    for code, sentences in sizes.items():
        texts.append(folder / f"{code}.txt")
        with texts[-1].open("w", encoding="utf-8") as stream:
            stream.writelines(block.lower() for block in text_blocks(world, code, sentences))
    dictionary = make_dictionary(world, "one", "two", lowercase=True)
    return measure(
        f"world{number}",
        texts,
        [*dictionary.train, *dictionary.valid, *dictionary.test],
        {"dim": 50, "epoch": 5, **({} if number % 4 == 0 else {"minn": 0, "maxn": 0})},
    )


def measure(pair: str, texts: list[Path], dictionary: list[tuple[str, str]], settings: dict) -> list[dict]:
    """Train, align, and return a row a system: its criteria, and its true precision at 1."""
    counts = [dict(count_words(text)) for text in texts]
    trainer = FastText(**settings)
    spaces: dict[str, list] = {system: [] for system in STRATEGIES}
    failed, gamma = [], None
    for seed in SEEDS:
        alone = [trainer.train([text], seed=seed) for text in texts]
        aligner = build(
            "vecmap", {"unsupervised_vocabulary": 1000, "vocabulary_cutoff": 2000, "stochastic_interval": 10}
        )
        aligned = refine(aligner, *alone, seed=seed)
        failed.append(aligned.details["mapper"]["degenerate"])
        spaces["vecmap"].append((aligned.source, aligned.target))
        joint = JointVocabulary.of(trainer.train(texts, seed=seed), *counts)
        plain = joint.space(joint.divide(None))
        spaces["joint"].append((plain.source, plain.target))
        refiner = build("muse", {"initialisation": "identity"})
        gamma = gamma or unsupervised_values(joint, GAMMA, refiner, seed=seed, max_vocabulary=200_000).best
        divided = joint.space(joint.divide(gamma))
        spaces["joint_vr"].append((divided.source, divided.target))
        both = refine(refiner, divided.source, divided.target, shared=divided.shared, seed=seed)
        spaces["joint_align_identity"].append((both.source, both.target))
    return rows_of(pair, spaces, {"vecmap": float(np.mean(failed))}, dictionary)


def measure_run(folder: Path, pair: str) -> list[dict]:
    """Return the rows of a pair of a finished run, whose folder is RESULTS/SCALE."""
    spaces, failed = {}, {}
    for system in STRATEGIES:
        with (folder / f"plans/induce_lexicon/{pair}.{system}.csv").open(encoding="utf-8") as stream:
            files = [
                tuple(folder.parents[1] / row[side] for side in ("source", "target"))
                for row in csv.DictReader(stream)
            ]
        spaces[system] = [tuple(map(read_vectors, sides)) for sides in files]
        reports = [Path(str(sides[0]).replace("source.vec", "details.json")) for sides in files]
        failed[system] = float(
            np.mean([path.exists() and is_degenerate(read_json(path, dict)) for path in reports])
        )
    parts = [folder / f"corpora/dictionaries/{pair}/{part}.txt" for part in ("train", "test")]
    return rows_of(pair, spaces, failed, [entry for part in parts for entry in read_dictionary(part)])


def rows_of(
    pair: str, spaces: dict, failed: dict[str, float], dictionary: list[tuple[str, str]]
) -> list[dict]:
    """Return a row a system: its criteria, and its true precision at 1."""
    found = criteria(spaces, STRATEGIES, failed)
    golds = {
        "precision": gold_translations(dictionary),
        "precision_different": gold_translations(dictionary, drop_identical=True),
    }
    rows = []
    for system, runs in spaces.items():
        truth = {name: [precision(space, gold) for space in runs] for name, gold in golds.items()}
        true = {
            name: round(float(np.mean([value for value, _ in values])), 3) for name, values in truth.items()
        }
        row = {"pair": pair, "system": system, "strategy": STRATEGIES[system]}
        criteria_of = {name: round(value, 5) for name, value in found[system].items()}
        rows.append(row | {"tested": truth["precision"][0][1]} | true | criteria_of)
    return rows


def precision(space, gold: dict[str, set[str]]) -> tuple[float, int]:
    """Return P@1 in percent over the queries that `gold` translates into a word that has a vector, and their number."""
    _, target = space
    answers = Translated.of(space).answers
    right = [
        best in gold[word]
        for word, best in answers.items()
        if word in gold and not gold[word].isdisjoint(target.index)
    ]
    return 100 * float(np.mean(right)), len(right)


PENALTY = 1.0  # of the ridge regression, on standardised inputs


def fit(rows: list[dict]) -> dict:
    """Return the model of all rows, and how models of the other pairs do on each pair."""
    x = np.array([list(weighed(row).values()) for row in rows])
    y = np.array([log_odds(float(row["precision"]) / 100) for row in rows])
    # texts of one pair of languages are one
    groups = np.array([row["pair"].partition(".")[0] for row in rows])
    held_out = np.empty(len(rows))
    for group in dict.fromkeys(groups):
        intercept, weights = ridge(x[groups != group], y[groups != group])
        held_out[groups == group] = intercept + x[groups == group] @ weights
    intercept, weights = ridge(x, y)
    texts = np.array([is_text(row) for row in rows])
    real = [row for row in rows if is_text(row)]
    errors = np.quantile(y - held_out, [0.05, 0.95]).round(3).tolist()
    names = list(weighed(rows[0]))
    return {
        "fitted_by": "benchmarks/precision_without_dictionary.py",
        "fitted_on": {
            "worlds": sorted({group_of(row) for row in rows if not is_text(row)}),
            "texts": sorted({row["pair"] for row in rows if is_text(row)}),
            "systems": sorted(STRATEGIES),
        },
        "held_out": judged(rows, held_out, y, errors)
        | {"errors": errors, "texts": judged(real, held_out[texts], y[texts], errors)},
        "intercept": round(float(intercept), 4),
        "weights": {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)},
    }


def group_of(row: dict) -> str:
    """Return what is left out together: a world, or all texts of a pair of languages in either direction."""
    return "-".join(sorted(row["pair"].partition(".")[0].split("-")))


def is_text(row: dict) -> bool:
    """Whether a row is of real text, not of an invented world."""
    return not row["pair"].startswith(("world", "demo"))


def weighed(row: dict) -> dict[str, float]:
    """Return the inputs of the model, of a row of the file."""
    return inputs({name: float(row[name]) for name in (*SHARES, *OTHERS)}, row["strategy"])


def ridge(x: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Return intercept and weights of a ridge regression on standardised inputs, for inputs as they are.

    More agreement never lowers an estimate, and a degenerate map never raises one, whatever few pairs suggest.
    """
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-9
    names = [*SHARES, *OTHERS, *KINDS]
    least = [-np.inf if name in ("degenerate", *KINDS) else 0.0 for name in names]
    most = [0.0 if name == "degenerate" else np.inf for name in names]
    stacked = np.vstack([(x - mean) / scale, np.sqrt(PENALTY) * np.eye(x.shape[1])])
    weights = lsq_linear(stacked, [*(y - y.mean()), *np.zeros(x.shape[1])], (least, most)).x / scale
    return float(y.mean() - mean @ weights), weights


def judged(rows: list[dict], predicted: np.ndarray, true: np.ndarray, errors: list[float]) -> dict:
    """Return the rank correlation of estimates with the truth, and how often (%) the best strategy is named: by the
    rule of `precision.leader`, by the highest estimate, and by always naming both.
    """
    pairs = list(dict.fromkeys(row["pair"] for row in rows))
    named = {"winner": 0, "highest": 0, "always_both": 0}
    for pair in pairs:
        places = {row["system"]: place for place, row in enumerate(rows) if row["pair"] == pair}
        best = STRATEGIES[max(places, key=lambda system: true[places[system]])]
        estimates = {
            system: Estimate(*(predicted[place] + shift for shift in (0.0, *errors)))
            for system, place in places.items()
        }
        named["winner"] += STRATEGIES[leader(estimates, STRATEGIES)] == best
        named["highest"] += STRATEGIES[max(estimates, key=lambda name: estimates[name].value)] == best
        named["always_both"] += best == "both"
    shares = {name: round(100 * number / len(pairs), 1) for name, number in named.items()}
    return {"pairs": len(pairs), "spearman": round(float(spearmanr(predicted, true).statistic), 3)} | shares


def main() -> None:
    """Parse, then measure or fit."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(dest="what", required=True)
    worlds = sub.add_parser("worlds")
    worlds.add_argument("--numbers", type=int, nargs=2, required=True)
    texts = sub.add_parser("texts")
    texts.add_argument("--name", required=True)
    for name in ("source", "target", "dictionary"):
        texts.add_argument(f"--{name}", type=Path, required=True)
    for one in (worlds, texts):
        one.add_argument("--out", type=Path, required=True)
    runs = sub.add_parser("run")
    runs.add_argument("--folder", type=Path, required=True)
    runs.add_argument("--pair", required=True)
    runs.add_argument("--out", type=Path, required=True)
    sub.add_parser("fit").add_argument("observations", type=Path, nargs="+")
    args = p.parse_args()
    if args.what == "fit":
        rows = [row for path in args.observations for row in csv.DictReader(path.open(encoding="utf-8"))]
        write_json(FITTED, fit(rows))
    elif args.what == "run":
        add(args.out, measure_run(args.folder.resolve(), args.pair))
    elif args.what == "worlds":
        for number in range(args.numbers[0], args.numbers[1] + 1):
            start = time.process_time()
            with tempfile.TemporaryDirectory() as folder:
                add(args.out, measure_world(number, Path(folder)))
            print(number, f"{time.process_time() - start:.0f} s", flush=True)
    else:
        pairs = [(s.lower(), t.lower()) for s, t in read_dictionary(args.dictionary)]
        add(args.out, measure(args.name, [args.source, args.target], pairs, {"dim": 100, "epoch": 15}))


def add(path: Path, rows: list[dict]) -> None:
    """Add rows to a CSV file, with a header where it is new."""
    new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        if new:
            writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
