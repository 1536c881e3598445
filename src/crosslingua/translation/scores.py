"""BLEU and chrF by sacrebleu, with its signatures, and the baselines that copy or translate word by word."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from crosslingua.errors import InputError
from crosslingua.io.decode import base_language, tokens_of
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import RETRIEVALS
from crosslingua.translation.decoding import diagnose

if TYPE_CHECKING:
    from sacrebleu.metrics import BLEU, CHRF

Detokenise = Callable[[Sequence[str]], str]
logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # it warns of full stops that stand apart


def word_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> float:
    """Return BLEU, 0-100, of tokenised sentences."""
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize="none", force=True)
    return metric.corpus_score([" ".join(s) for s in hypotheses], [[" ".join(s) for s in references]]).score


@cache
def detokeniser(language: str | None) -> Detokenise:
    """Return Moses's detokeniser of a language; without one, words are joined by spaces."""
    if language is None:
        return " ".join
    from sacremoses import MosesDetokenizer

    library = MosesDetokenizer(lang=base_language(language))
    return lambda words: library.detokenize(list(words), unescape=False)


def bleu_tokeniser(language: str | None) -> str:
    """Return sacrebleu's tokeniser of a language: 13a where words have spaces between them."""
    base = base_language(language or "")
    if base in ("ja", "ko"):
        package = {"ja": "MeCab", "ko": "mecab_ko"}[base]
        return f"{base}-mecab" if find_spec(package) else "char"
    return {"zh": "zh"}.get(base, "char" if base in ("th", "km", "lo", "my", "bo", "dz") else "13a")


def score_translations(
    hypotheses: Sequence[str], references: Sequence[str], sources: Sequence[str], language: str | None = None
) -> dict[str, Any]:
    """Return BLEU and chrF (0-100) of tokenised lines, lower-cased, with signatures and marks of degeneration.

    Both sides are detokenised by the rules of `language`, then sacrebleu tokenises them. Raises InputError where
    numbers of lines differ. Empty output scores 0, and is marked.
    """
    if not len(hypotheses) == len(references) == len(sources):
        raise InputError(
            "translations",
            f"{len(hypotheses)} lines, for {len(sources)} of source and {len(references)} of reference",
        )
    detokenise = detokeniser(language)
    said = [detokenise(tokens_of(line)) for line in hypotheses]
    metrics = _metrics(tuple(references), language)
    scores = [metric.corpus_score(said, None) for metric in metrics]
    signatures = [str(metric.get_signature()).replace("|", ",") for metric in metrics]
    return {
        "bleu": scores[0].score,
        "chrf": scores[1].score,
        "signature": f"sacrebleu|bleu={signatures[0]}|chrf={signatures[1]}".replace(":", "~"),
        "sentences": len(references),
        **diagnose(hypotheses, references, sources),
    }


@lru_cache(maxsize=4)
def _metrics(references: tuple[str, ...], language: str | None) -> tuple[BLEU, CHRF]:
    """Return BLEU and chrF against `references`, whose n-grams are cached for all translations."""
    from sacrebleu.metrics import BLEU, CHRF

    wanted = [[detokeniser(language)(tokens_of(line)) for line in references]]
    tokenise = bleu_tokeniser(language)
    return BLEU(lowercase=True, tokenize=tokenise, references=wanted), CHRF(lowercase=True, references=wanted)


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
