"""Fine-tuning alignment: its loss by hand, interruption, the script, and parallel text with links."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.word_states import Rotations, WordStates
from crosslingua.encoder_alignment import finetune
from crosslingua.encoder_alignment.finetune import AlignmentLoss, FineTune
from crosslingua.encoder_alignment.rotate import solve
from crosslingua.encoder_alignment.settings import FineTuneSettings
from crosslingua.encoder_alignment.signal import AlignedText, Signal
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import read_json
from crosslingua.io.pharaoh import write_pharaoh
from crosslingua.settings import read
from encoder_alignment.conftest import parallel_text

FAST = FineTuneSettings(lr=2e-3, epochs=3, batch_size=16)
SOURCE_SIDE, TARGET_SIDE = 0, 1


def side_vectors(folder: Path, text, side: int) -> torch.Tensor:
    states = WordStates(Encoder.load(folder).eval(), [1, 2])
    return states.all((text.source, text.target)[side], None)


def moved(before: Path, after: Path, text, side: int) -> float:
    difference = side_vectors(after, text, side) - side_vectors(before, text, side)
    return difference.norm(dim=-1).mean().item()


def apart(folder: Path, text) -> float:
    links = text.flat_links()
    source, target = (side_vectors(folder, text, side) for side in (SOURCE_SIDE, TARGET_SIDE))
    return (source[links[:, 0]] - target[links[:, 1]]).norm(dim=-1).mean().item()


@pytest.mark.parametrize("squared", [False, True])
def test_the_loss_by_hand(signal: Signal, squared: bool) -> None:
    """Eq. 7 and 10 with one encoder moved a little from the frozen one, a sentence pair at a time."""
    moved = Encoder.load(signal.folder).eval()
    with torch.no_grad():
        for weights in moved.parameters():
            weights.add_(0.05)
    loss = AlignmentLoss(
        moved, signal.encoder, signal, FineTuneSettings(distance="squared" if squared else "norm")
    )
    texts = signal.text.source, signal.text.target
    sides = [loss.states.encode(side) for side in texts]
    pairs = np.array([4, 1, 9])
    with torch.no_grad():
        found = loss(sides, signal.text.links, pairs)
    align, stay = [], []
    for pair in pairs:
        source, target = (WordStates(moved, [1, 2]).all([side[pair]], None) for side in texts)
        before = WordStates(signal.encoder, [1, 2]).all([signal.text.target[pair]], None)
        align += [source[i] - target[j] for i, j in signal.text.links[pair]]
        stay += list(target - before)
    power = 2 if squared else 1
    expected = [(torch.stack(term).norm(dim=-1) ** power).mean(0).sum() for term in (align, stay)]
    torch.testing.assert_close(found, torch.stack(expected), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("direction", "kept"), [("src_to_tgt", TARGET_SIDE), ("tgt_to_src", SOURCE_SIDE)])
def test_linked_words_come_closer_and_the_kept_side_moves_less(signal, tmp_path, direction, kept) -> None:
    FineTune(replace(FAST, direction=direction)).align(signal, tmp_path / "out")
    text = parallel_text(30, seed=8)  # other sentences of the same words
    assert apart(tmp_path / "out", text) < 0.7 * apart(signal.folder, text)
    stayed, went = (moved(signal.folder, tmp_path / "out", text, side) for side in (kept, 1 - kept))
    assert stayed < 0.8 * went


@pytest.mark.parametrize("distance", ["norm", "squared"])
def test_the_regulariser_alone_moves_nothing(encoder: Path, tmp_path: Path, distance: str) -> None:
    text = parallel_text(20)
    text.links[:] = [links[:0] for links in text.links]  # nothing to bring together
    signal = Signal(encoder, text, ("src", "tgt"))
    FineTune(replace(FAST, distance=distance)).align(signal, tmp_path / "out")
    before, after = Encoder.load(encoder).state_dict(), Encoder.load(tmp_path / "out").state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_without_the_regulariser_the_kept_side_moves_more(signal: Signal, tmp_path: Path) -> None:
    for weight in (0.0, 1.0):
        FineTune(replace(FAST, regularisation=weight)).align(signal, tmp_path / str(weight))
    free, held = (moved(signal.folder, tmp_path / w, signal.text, TARGET_SIDE) for w in ("0.0", "1.0"))
    assert held < 0.7 * free


@pytest.mark.usefixtures("bf16")
def test_in_bfloat16_the_same_is_learnt(signal: Signal, tmp_path: Path) -> None:
    weights = {}
    for precision in ("fp32", "bf16"):
        FineTune(replace(FAST, precision=precision)).align(signal, tmp_path / precision)
        weights[precision] = load_file(tmp_path / precision / "model.safetensors")
    before = load_file(signal.folder / "model.safetensors")
    changed = {
        precision: torch.cat([(made[name] - before[name]).flatten() for name in made])
        for precision, made in weights.items()
    }
    assert torch.cosine_similarity(changed["fp32"], changed["bf16"], dim=0) > 0.9
    text = parallel_text(30, seed=8)
    exact, rounded = (apart(tmp_path / precision, text) for precision in weights)
    assert rounded == pytest.approx(exact, rel=0.03)


@pytest.mark.usefixtures("bf16")
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_interrupted_it_ends_with_the_same_weights(
    signal: Signal, tmp_path: Path, monkeypatch, precision: str
) -> None:
    settings = replace(FAST, checkpoint_every=4, precision=precision)
    FineTune(settings).align(signal, tmp_path / "whole")
    update = finetune.TuningRun._update

    def killed(self, step, pairs):
        if step == 7:
            raise KeyboardInterrupt
        update(self, step, pairs)

    monkeypatch.setattr(finetune.TuningRun, "_update", killed)
    with pytest.raises(KeyboardInterrupt):
        FineTune(settings).align(signal, tmp_path / "resumed")
    steps = []
    counted = lambda self, step, pairs: (steps.append(step), update(self, step, pairs))  # noqa: E731
    monkeypatch.setattr(finetune.TuningRun, "_update", counted)
    assert (tmp_path / "resumed.checkpoint").is_dir()
    FineTune(settings).align(signal, tmp_path / "resumed")
    assert steps[0] == 5
    whole, resumed = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "resumed"))
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    assert read_json(tmp_path / "whole/alignment.json") == read_json(tmp_path / "resumed/alignment.json")
    assert not (tmp_path / "resumed.checkpoint").exists()


def test_a_checkpoint_of_other_settings_is_not_used(signal: Signal) -> None:
    settings = replace(FAST, checkpoint_every=4)
    fingerprints = {FineTune(s)._fingerprint(signal) for s in (settings, replace(settings, lr=1.0), FAST)}
    assert len(fingerprints) == 2  # checkpoint_every changes no weight


def test_the_rate_rises_and_stays() -> None:
    settings = FineTuneSettings(lr=1.0, warmup=0.1)
    found = [finetune.learning_rate(step, 40, settings) for step in (1, 2, 4, 5, 40)]
    assert found == [0.25, 0.5, 1.0, 1.0, 1.0]


def test_every_pair_is_read_once_an_epoch() -> None:
    found = finetune.batch_numbers(10, 4, 2, seed=1)
    assert [len(part) for part in found] == [4, 4, 2, 4, 4, 2]
    first, second = np.concatenate(found[:3]), np.concatenate(found[3:])
    assert sorted(first) == sorted(second) == list(range(10))
    assert first.tolist() != second.tolist()


def test_settings_are_checked() -> None:
    assert read(FineTuneSettings, "finetune", ["direction=tgt_to_src", "epochs=2"]).epochs == 2
    with pytest.raises(ConfigError, match="no setting"):
        read(FineTuneSettings, "finetune", ["rate=1"])
    with pytest.raises(ConfigError, match="src_to_tgt or tgt_to_src"):
        read(FineTuneSettings, "finetune", ["direction=sideways"])


def test_text_without_links_is_refused(encoder: Path, tmp_path: Path) -> None:
    text = replace(parallel_text(3), links=None)
    with pytest.raises(ConfigError, match="links"):
        FineTune().align(Signal(encoder, text, ("src", "tgt")), tmp_path / "out")


@pytest.fixture
def folder(signal: Signal, tmp_path: Path) -> Path:
    """The signal as files; the links go from target to source."""
    for name, side in (("source", signal.text.source), ("target", signal.text.target)):
        (tmp_path / name).write_text("".join(" ".join(sentence) + "\n" for sentence in side))
    write_pharaoh(tmp_path / "links", [[(j, i) for i, j in pair.tolist()] for pair in signal.text.links])
    (tmp_path / "dictionary").write_text("".join(f"{a}\t{b}\n" for a, b in signal.dictionary))
    return tmp_path


@pytest.fixture
def align(script, signal: Signal) -> Callable:
    files = ("--source", "source", "--target", "target", "--languages", "src", "tgt")
    return partial(script, "align_encoder.py", "--encoder", signal.folder, *files)


def test_a_plan_of_all_methods(align: Callable, folder: Path, signal: Signal) -> None:
    lines = "rotate,dictionary,,a", "norm_rotate,parallel,,b", "finetune,parallel,direction=tgt_to_src,c"
    header = "method,supervision,set,out,links,dictionary,reversed\n"
    (folder / "plan.csv").write_text(header + "".join(f"{line},links,dictionary,true\n" for line in lines))
    align("--cells", "plan.csv")
    for supervision, centred, out in (("dictionary", False, "a"), ("parallel", True, "b")):
        expected = solve(signal.moments(supervision), (1, 2), centred)
        found = Rotations.load(folder / out)
        np.testing.assert_allclose(found.matrices, expected.matrices, atol=1e-3)
        np.testing.assert_allclose(found.source_means, expected.source_means, atol=1e-5)
    report = read_json(folder / "c/alignment.json")
    assert report["settings"]["direction"] == "tgt_to_src"
    assert set(report["sha256"]) == {"source", "target", "links", "dictionary"}


@pytest.mark.parametrize(("options", "message"), [
    (["--method", "rotate"], "needs --links"),
    (["--method", "rotate", "--supervision", "dictionary"], "needs --dictionary"),
    (["--method", "finetune", "--supervision", "dictionary"], "finetune cannot learn from a dictionary"),
    (["--method", "rotate", "--links", "links", "--set", "lr=1"], "rotate has no settings"),
])  # fmt: skip
def test_what_cannot_be_is_refused(align: Callable, folder: Path, options: list[str], message: str) -> None:
    done = align(*options, "--out", "out", status=1)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (folder / "out").exists()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    texts = {"s": "a b\nc\nd e f\n", "t": "x\ny z\nu v\n", "links": "0-0 1-0\n0-1\n0-0 2p1\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "s", tmp_path / "t", tmp_path / "links"


def test_links_are_counted_through_the_text(files: tuple[Path, Path, Path]) -> None:
    text = AlignedText.read(*files)
    assert text.flat_links().tolist() == [[0, 0], [1, 0], [2, 2], [3, 3]]  # sure links only
    source, target = ([w for s in side for w in s] for side in (text.source, text.target))
    found = [source[i] + target[j] for i, j in text.flat_links()]
    assert found == ["ax", "bx", "cz", "du"]


def test_links_of_the_other_direction_are_turned(files: tuple[Path, Path, Path]) -> None:
    source, target, links = files
    turned = AlignedText.read(target, source, links, reverse=True)
    as_they_are = AlignedText.read(source, target, links)
    assert sorted(turned.flat_links()[:, ::-1].tolist()) == sorted(as_they_are.flat_links().tolist())
    with pytest.raises(InputError, match="outside"):
        AlignedText.read(target, source, links)


def test_only_the_first_pairs_are_taken(files: tuple[Path, Path, Path]) -> None:
    text = AlignedText.read(*files, take=2)
    assert (len(text), text.source) == (2, [["a", "b"], ["c"]])
    with pytest.raises(ConfigError, match="at least 1"):
        AlignedText.read(*files, take=0)


def test_chunks_keep_links_with_their_pairs(files: tuple[Path, Path, Path]) -> None:
    chunks = list(AlignedText.read(*files).chunks(2))
    assert [len(chunk) for chunk in chunks] == [2, 1]
    np.testing.assert_array_equal(chunks[1].flat_links(), [[0, 0]])
    assert next(AlignedText.read(*files[:2]).chunks(2)).links is None


@pytest.mark.parametrize(("links", "message"), [
    ("0-0\n0-0\n", "2 lines of links for 3"), ("0-1\n\n\n", "outside"),
    ("\n\n\n", "no sure link"), ("x\n\n\n", "no link"),
])  # fmt: skip
def test_links_that_do_not_fit_are_refused(files: tuple[Path, Path, Path], links: str, message: str) -> None:
    files[2].write_text(links)
    with pytest.raises(InputError, match=message):
        AlignedText.read(*files)


def test_empty_and_unequal_text_is_refused(files: tuple[Path, Path, Path]) -> None:
    files[1].write_text("x\n")
    with pytest.raises(InputError, match="parallel files"):
        AlignedText.read(*files[:2])
    for path in files[:2]:
        path.write_text("")
    with pytest.raises(InputError, match="is empty"):
        AlignedText.read(*files[:2])
