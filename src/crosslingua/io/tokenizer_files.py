"""Names of the files in the folders of tokenisers and encoders."""

import shutil
from pathlib import Path

TOKENIZER_FILES = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt",
    "sentencepiece.bpe.model", "token_pairs.tsv",
)  # fmt: skip

# The files that training puts into a folder, and may therefore replace.
TRAINED = ("config.json", "model.safetensors", "training.json", *TOKENIZER_FILES)
TRAINED_LASER = (*TRAINED, "fastbpe.json")


def copy_tokenizer(source: str | Path, out: Path) -> None:
    """Copy the tokeniser's files."""
    for name in TOKENIZER_FILES:
        if (Path(source) / name).is_file():
            shutil.copyfile(Path(source) / name, out / name)
