"""How much of a word's attention goes to the other sentence of an inference pair, before any fine-tuning?

    python benchmarks/attention_across.py --folder results/full --language ana --encoders xlmr xlm xlm_align

Reads encoders of a scale that was run and its validation pairs (the first 150). Of what the words of the second
sentence attend to among the words of both, the share (0 to 1) that the first gets, by layer, mean over heads, words and
pairs; `alike` is that share if every word got as much.
"""

import argparse
import csv
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from crosslingua.embedders.loading import load_encoder

PAIRS = 150


def main() -> None:
    """Parse, measure each encoder and seed, print."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--folder", required=True, type=Path, help="results of a scale")
    p.add_argument("--language", required=True, help="of the pairs")
    p.add_argument("--encoders", required=True, nargs="+", help="of BERT's or RoBERTa's kind")
    args = p.parse_args()
    torch.set_num_threads(1)
    with (args.folder / f"corpora/nli/{args.language}.valid.tsv").open(encoding="utf-8") as file:
        pairs = [(row["premise"], row["hypothesis"]) for row in csv.DictReader(file, delimiter="\t")][:PAIRS]
    for name in args.encoders:
        for folder in sorted((args.folder / "encoders" / name).glob("seed*")):
            layers, alike = measured(str(folder), pairs)
            print(name, folder.name, *(f"{share:.2f}" for share in layers), f"alike {alike:.2f}")


@torch.no_grad()
def measured(folder: str, pairs: list[tuple[str, str]]) -> tuple[list[float], float]:
    """Return the share of each layer and that of equal attention."""
    encoder, tokenizer = load_encoder(folder)
    shares, alike = [], []
    for pair in pairs:
        ids = tokenizer(*pair, return_tensors="pt")["input_ids"]
        first, second = places(ids[0], tokenizer.sep_token_id)
        states = encoder(ids, output_hidden_states=True).hidden_states
        layers = zip(encoder.encoder["layer"], states[:-1], strict=True)
        shares.append([across(attention(layer, x), first, second) for layer, x in layers])
        alike.append(len(first) / (len(first) + len(second)))
    return torch.tensor(shares).mean(dim=0).tolist(), sum(alike) / len(alike)


def places(ids: Tensor, separator: int) -> tuple[Tensor, Tensor]:
    """Return the places of the words of `<s> a </s></s> b </s>`."""
    one, two, three = (ids == separator).nonzero().flatten().tolist()
    return torch.arange(1, one), torch.arange(two + 1, three)


def attention(layer: Any, x: Tensor) -> Tensor:
    """Return how much each place (rows) attends to each, mean over heads, of one row of states (1, t, d)."""
    own = layer["attention"]["self"]
    q, k = (own[name](x).unflatten(-1, (layer.heads, -1)).transpose(1, 2) for name in ("query", "key"))
    return (q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5).softmax(-1)[0].mean(dim=0)


def across(weights: Tensor, first: Tensor, second: Tensor) -> float:
    """Return the share of the first sentence in what the second attends to among the words of both."""
    there, here = weights[second][:, first].sum(dim=1), weights[second][:, second].sum(dim=1)
    return float((there / (there + here)).mean())


if __name__ == "__main__":
    main()
