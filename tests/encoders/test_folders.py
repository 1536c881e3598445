"""Damaged encoder folders, and folders whose files are of several encoders: the file that is wrong is named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from crosslingua.errors import InputError
from crosslingua.tasks.tuner import load
from programs import SCRIPTS, run_script
from tiny_encoder import write_encoder, write_text_to_text

Damage = Callable[[Path], object]
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n"
CONFIG, WEIGHTS, PIECES, OPTIONS = (
    "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder of 58 pieces with 32 dimensions, 2 layers and 2 heads; not to be changed."""
    return write_encoder(tmp_path_factory.mktemp("encoder"), ["cat"])


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "encoder")


def holds(name: str, content: str | bytes) -> Damage:
    return lambda folder: (folder / name).write_bytes(
        content.encode() if isinstance(content, str) else content
    )


def says(name: str, **values: Any) -> Damage:
    def damage(folder: Path) -> None:
        (folder / name).write_text(json.dumps(json.loads((folder / name).read_text()) | values))

    return damage


def pieces(**changed: Any) -> Damage:
    """The vocabulary of tokenizer.json with further pieces; without those that are None."""

    def damage(folder: Path) -> None:
        told = json.loads((folder / PIECES).read_text())
        vocabulary = told["model"]["vocab"] | changed
        told["model"]["vocab"] = {name: number for name, number in vocabulary.items() if number is not None}
        (folder / PIECES).write_text(json.dumps(told))

    return damage


def weights(change: Callable[[str, torch.Tensor], torch.Tensor | None]) -> Damage:
    def damage(folder: Path) -> None:
        changed = {name: change(name, value) for name, value in load_file(folder / WEIGHTS).items()}
        save_file({name: value for name, value in changed.items() if value is not None}, folder / WEIGHTS)

    return damage


def cut(name: str) -> Damage:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:300])


def pickled(content: bytes) -> Damage:
    return lambda folder: ((folder / WEIGHTS).unlink(), (folder / "pytorch_model.bin").write_bytes(content))


def divided(content: str) -> Damage:
    index = holds(f"{WEIGHTS}.index.json", content)
    return lambda folder: ((folder / WEIGHTS).unlink(), index(folder))


IN_CONFIG = {
    "model_type": ["foo", "gpt2", "vit", 5], "hidden_size": [-32, "32", 32.5, 30],
    "vocab_size": [10, 10**4, True], "num_hidden_layers": [0, -1, 3, [2]], "num_attention_heads": [0, 3],
    "max_position_embeddings": [1, None], "type_vocab_size": [0], "pad_token_id": [-5, 10**6, "x", None],
    "hidden_act": ["foo"], "hidden_dropout_prob": [5, "x"], "layer_norm_eps": ["x"], "lang2id": [5, {"en": 99}],
    "dtype": ["float99"],
}  # fmt: skip
BOTH = (CONFIG, WEIGHTS, PIECES)  # where two files disagree, either may be named
DAMAGES: list[tuple[tuple[str, ...], Damage]] = [
    *(((name,), holds(name, content)) for name in (CONFIG, PIECES, OPTIONS) for content in ("", b"\xff\0", LFS)),
    *(((name,), holds(name, content)) for name in (CONFIG, PIECES, OPTIONS) for content in ("null", "[1]")),
    *(((name,), cut(name)) for name in (CONFIG, PIECES, WEIGHTS)),
    *(((WEIGHTS,), holds(WEIGHTS, content)) for content in ("", b"\0" * 8, LFS, "<!DOCTYPE html><html>404</html>")),
    *((BOTH, says(CONFIG, **{key: value})) for key, values in IN_CONFIG.items() for value in values),
    ((PIECES,), holds(PIECES, "{}")),
    ((PIECES,), pieces(new=10**6)),
    ((PIECES,), pieces(new=-1)),
    ((PIECES,), pieces(**{"<unk>": None})),
    ((OPTIONS,), holds(OPTIONS, '{"tokenizer_class": "PreTrainedTokenizerFast"}')),
    ((PIECES,), says(OPTIONS, model_max_length="x")),
    ((OPTIONS,), says(OPTIONS, model_max_length=0)),
    ((PIECES,), says(OPTIONS, pad_token=5)),
    ((WEIGHTS,), weights(lambda name, value: None)),
    ((WEIGHTS,), weights(lambda name, value: None if "layer.1." in name else value)),
    ((WEIGHTS,), weights(lambda name, value: value[..., :-1].contiguous())),
    ((WEIGHTS,), weights(lambda name, value: value * torch.nan)),
    ((WEIGHTS,), weights(lambda name, value: (value * 9).to(torch.int8))),
    (("pytorch_model.bin",), pickled(b"garbage")),
    ((f"{WEIGHTS}.index.json",), divided("{}")),
    ((f"{WEIGHTS}.index.json",), divided("garbage")),
]  # fmt: skip


@pytest.mark.parametrize(("names", "damage"), DAMAGES)
def test_the_file_of_an_encoder_that_is_wrong_is_named(
    folder: Path, names: tuple[str, ...], damage: Damage
) -> None:
    damage(folder)
    with pytest.raises(InputError) as told:
        load(folder)
    assert Path(told.value.path) in [folder / name for name in names], told.value
    assert told.value.made_of[3], told.value  # a remedy


@pytest.mark.parametrize("name", [CONFIG, WEIGHTS, PIECES])
def test_a_file_that_an_encoder_lacks_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    if name == PIECES:  # transformers would make a tokeniser without pieces
        (folder / OPTIONS).unlink()
    with pytest.raises(InputError, match=r"encoder: no .*(config.json|model.safetensors|tokenizer)"):
        load(folder)


def test_the_file_of_a_text_to_text_model_that_is_wrong_is_named(tmp_path: Path) -> None:
    for number, (name, damage) in enumerate([
        (WEIGHTS, cut(WEIGHTS)),
        (CONFIG, says(CONFIG, d_model="x")),
        (PIECES, holds(PIECES, "{}")),
        (WEIGHTS, weights(lambda name, value: None if "decoder" in name else value)),
    ]):  # fmt: skip
        folder = write_text_to_text(tmp_path / str(number), ["cat"])
        damage(folder)
        with pytest.raises(InputError) as told:
            load(folder)
        assert told.value.path == str(folder / name)


@pytest.mark.parametrize(
    ("names", "damage"),
    [
        *(((name,), cut(name)) for name in (CONFIG, PIECES, WEIGHTS)),
        *(((PIECES,), holds(PIECES, content)) for content in ("", "{}", "[]", b"\xff\0", LFS)),
        ((PIECES,), pieces(new=-1)),
        ((PIECES,), pieces(**{"<unk>": None})),
        *((BOTH, says(CONFIG, **{key: value})) for key in ("vocab_size", "pad_token_id") for value in (True, 10**4)),
        *((BOTH, says(CONFIG, pad_token_id=value)) for value in ("x", -5)),
    ],
)  # fmt: skip
def test_pruning_and_pre_training_name_it_too(
    folder: Path, tmp_path: Path, names: tuple[str, ...], damage: Damage
) -> None:
    damage(folder)
    text = tmp_path / "a.txt"
    text.write_text("the cat sat\nthe dog\n" * 9)
    steps = ("steps=2", "warmup=1", "batch_size=4", "max_length=16")
    for script, *options in (
        ("prune_encoder.py", "--encoder", folder, "--text", text),
        ("pretrain.py", "--objective", "mlm", "--init", folder, "--text", f"en={text}", "--set", *steps),
    ):
        ended = run_script(SCRIPTS / script, *options, "--out", tmp_path / "out")
        assert ended.status == 1
        assert any(f"{folder}/{name}" in ended.error for name in names), ended.error
        assert "failed" not in ended.error
        assert ended.error.endswith(")") or "must be" in ended.error, ended.error
        assert not (tmp_path / "out").exists()
