"""Word vectors of a published encoder for the frequent words of both texts, each read alone."""

from collections.abc import Mapping
from pathlib import Path

from crosslingua.encoders.published import fetch_encoder
from crosslingua.io.vectors import write_vectors
from crosslingua.two_texts.question import MIN_COUNT, PairToAsk

FETCHED = Path("data/encoders")  # where encoders are kept that are named and not at hand


def write_encoder_words(question: PairToAsk, model: str) -> None:
    """Write the vectors of both texts' words to the question's files, most frequent words first.

    `model` is a Hugging Face folder, or a name that is fetched once. Raises InputError for a folder without an encoder,
    and as `fetch_encoder`.
    """
    from crosslingua.embedders.encoder import Encoder
    from crosslingua.embedders.vocabulary import embed_vocabulary
    from crosslingua.mappers.mapper import workers
    from crosslingua.nn.optimiser import use_threads

    folder = Path(model)
    if not folder.is_dir():
        folder = FETCHED / model.replace("/", "--")
        if not (folder / "config.json").is_file():
            fetch_encoder(model, folder)
    use_threads(workers())
    encoder = Encoder.load(folder).eval()
    for path, counts, language in zip(
        question.encoder_words, question.counts, question.languages, strict=True
    ):
        write_vectors(path, embed_vocabulary(encoder, frequent(counts), language))


def frequent(counts: Mapping[str, int]) -> list[str]:
    """Return the words that occur often enough to have a trained vector, the most frequent first."""
    known = [word for word, count in counts.items() if count >= MIN_COUNT]
    return sorted(known, key=lambda word: (-counts[word], word))
