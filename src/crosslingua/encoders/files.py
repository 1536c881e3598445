"""Names of the files in the folders of encoders and their tokenisers."""

from crosslingua.io.tokenizer_files import TOKENIZER_FILES

# What training puts into a folder, and what it may therefore replace there.
TRAINED = ("config.json", "model.safetensors", "training.json", *TOKENIZER_FILES)
TRAINED_LASER = (*TRAINED, "fastbpe.json")
