"""Words a second of greedy translation: ours, the same model without a cache, `transformers`' generate, ctranslate2.

    python benchmarks/translation.py --layers 4 --width 128 --sentences 1000

A system is trained for a moment on bitext of the controlled world, so that its sentences end; all words are shared, so
that every side chooses among the same outputs. The peers get its weights: MarianMTModel in `transformers` (batches of
the same sentences, sorted by length), and a Transformer of the same kind in ctranslate2, where that is installed.
Loading and converting are not timed. Asserted: the sides' translations are the same but for 1 % of the
sentences, where two words' scores are equal up to rounding. Then training: target words
a second, and the share of time in matrix products.
"""

import argparse
import importlib.util
import json
import tempfile
from pathlib import Path

from measure import ROOT, Stopwatch, machine, named, parser, record, report, run_script, run_side

LANGUAGES = ("ana", "ber")


def make(folder: Path, args: argparse.Namespace) -> None:
    """Write bitext of the controlled world, vectors at random, and a system trained on it."""
    import numpy as np

    from crosslingua.io.vectors import WordVectors, write_vectors

    for split, sentences in (("train", 8000), ("test", args.sentences)):
        run_script(
            "generate_world.py", "bitext", "--languages", ROOT / "world.yaml", "--source", "ana", "--target", "ber",
            "--split", split, "--sentences", sentences, "--out-links", folder / "links",
            "--out-source", folder / f"{split}.ana", "--out-target", folder / f"{split}.ber",
        )  # fmt: skip
    words = {w for name in LANGUAGES for w in (folder / f"train.{name}").read_text().lower().split()}
    rows = np.random.default_rng(1).normal(size=(len(words), args.width)).astype(np.float32)
    write_vectors(folder / "all.vec", WordVectors(sorted(words), rows))
    text = " ".join(sorted(words))
    for name in LANGUAGES:  # either language knows all words
        with (folder / f"train.{name}").open("a") as stream:
            stream.writelines(f"{' '.join(text.split()[i : i + 20])}\n" for i in range(0, len(words), 20))
    (folder / "shared.txt").write_text("\n".join(sorted(words)) + "\n")
    run_script(
        "train_translation.py", "--languages", *LANGUAGES, "--data", "pairs", "--text",
        *(folder / f"train.{name}" for name in LANGUAGES), "--vectors", folder / "all.vec", folder / "all.vec",
        "--shared", folder / "shared.txt", "--out", folder / "system", "--set", *settings(args), "epochs=1",
        f"epoch_size={32 * args.steps}",
    )  # fmt: skip


def settings(args: argparse.Namespace) -> list[str]:
    """Return the settings of the system, which are also those of the peers."""
    shape = {"layers": args.layers, "shared_layers": args.layers, "heads": 4, "feed_forward": 4 * args.width}
    own = {"lr": 1e-3, "warmup": 50, "beta2": 0.98, "beta1": 0.9, "validation": 50, "max_length": 60}
    return [f"{name}={value}" for name, value in (shape | own).items()]


def inputs(folder: Path):
    """Return the model and the encoded test sentences."""
    import torch

    from crosslingua.translation.data import read_lines
    from crosslingua.translation.model import load_translator

    torch.set_flush_denormal(True)
    model = load_translator(folder / "system")
    return model, [model.vocabulary.encode(0, words) for words in read_lines(folder / "test.ana")]


def finish(watch: Stopwatch, found: list[list[int]]) -> None:
    """Report a side's times, how many words it made, and what they are."""
    report(**watch.read(), words=sum(len(s) + 1 for s in found), found=found)


def ours(folder: Path, args: argparse.Namespace) -> None:
    """Time this suite's decoder."""
    from crosslingua.translation.decoding import translate

    model, text = inputs(folder)
    translate(model, text[:32], 0, 1)
    watch = Stopwatch()
    found = translate(model, text, 0, 1)
    finish(watch, [s.tolist() for s in found])


def sorted_batches(text: list, size: int) -> list[list[int]]:
    """Return batches of `size` sentences of like length."""
    order = sorted(range(len(text)), key=lambda i: len(text[i]))
    return [order[i : i + size] for i in range(0, len(order), size)]


def uncached(folder: Path, args: argparse.Namespace) -> None:
    """Time a loop over the same model that computes all words of a batch anew for each next one."""
    import torch

    from crosslingua.translation.data import BEGIN, padded
    from crosslingua.translation.decoding import longest_output, until
    from crosslingua.translation.model import Group

    model, text = inputs(folder)
    found: list[list[int]] = [[]] * len(text)
    end, first = model.vocabulary.end, model.vocabulary.outputs(1).start
    watch = Stopwatch()
    with torch.no_grad():
        for batch in sorted_batches(text, args.batch):
            ids, groups = padded([text[i] for i in batch], end), [Group(0, 0, len(batch))]
            encoded, mask = model.encode(ids, groups)
            said = torch.full((len(batch), 1), BEGIN + 1)
            over = torch.zeros(len(batch), dtype=torch.bool)
            for _ in range(longest_output(ids.shape[1] - 1, model.settings.max_length)):
                vectors = model.decode(said, encoded, mask, [Group(1, 0, len(batch))])
                last = model.scores(vectors[:, -1], 1).argmax(-1) + first
                said = torch.cat([said, last[:, None]], 1)
                over |= last == end
                if over.all():
                    break
            for i, row in zip(batch, said[:, 1:].numpy(), strict=True):
                found[i] = until(row, end).tolist()[: longest_output(len(text[i]), model.settings.max_length)]
    finish(watch, found)


def marian(model):
    """Return the same model as `transformers` has it."""
    import torch
    from transformers import MarianConfig, MarianMTModel

    s, v = model.settings, model.vocabulary
    config = MarianConfig(
        vocab_size=v.size, d_model=model.width, encoder_layers=s.layers, decoder_layers=s.layers,
        encoder_attention_heads=s.heads, decoder_attention_heads=s.heads, encoder_ffn_dim=s.feed_forward,
        decoder_ffn_dim=s.feed_forward, activation_function="relu", scale_embedding=True, max_position_embeddings=512,
        pad_token_id=0, eos_token_id=v.end, decoder_start_token_id=4, forced_eos_token_id=None, dropout=0.0,
        share_encoder_decoder_embeddings=True, tie_word_embeddings=True,
    )  # fmt: skip
    peer = MarianMTModel(config).eval()
    state = {"final_logits_bias": torch.full((1, v.size), float("-inf"))}
    state["final_logits_bias"][:, v.outputs(1)] = 0
    for part, stack in (("encoder", model.encoder), ("decoder", model.decoder)):
        state[f"model.{part}.embed_positions.weight"] = model.places
        for i, (layer,) in enumerate(stack.layers):
            state |= _layer(f"model.{part}.layers.{i}", layer, part == "decoder")
    for name in ("model.shared", "model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head"):
        state[f"{name}.weight"] = model.table.detach()
    missing = peer.load_state_dict(state, strict=False).missing_keys
    assert not missing, missing
    return peer


def _layer(name: str, layer, decoder: bool) -> dict:
    """Return a layer's weights under Marian's names."""
    found = _linear(f"{name}.fc1", layer.inner) | _linear(f"{name}.fc2", layer.outer)
    found |= _attention(f"{name}.self_attn", layer.attention)
    norms = ["self_attn_layer_norm", *(["encoder_attn_layer_norm"] if decoder else []), "final_layer_norm"]
    if decoder:
        found |= _attention(f"{name}.encoder_attn", layer.cross)
    return found | {
        k: v for n, m in zip(norms, layer.norms, strict=True) for k, v in _linear(f"{name}.{n}", m).items()
    }


def _attention(name: str, attention) -> dict:
    keys, values = attention.memory.weight.chunk(2)
    biases = attention.memory.bias.chunk(2)
    found = {f"{name}.k_proj.weight": keys, f"{name}.k_proj.bias": biases[0]}
    found |= {f"{name}.v_proj.weight": values, f"{name}.v_proj.bias": biases[1]}
    return found | _linear(f"{name}.q_proj", attention.query) | _linear(f"{name}.out_proj", attention.out)


def _linear(name: str, module) -> dict:
    return {f"{name}.weight": module.weight.detach(), f"{name}.bias": module.bias.detach()}


def transformers(folder: Path, args: argparse.Namespace) -> None:
    """Time `generate` of the same weights, on sorted batches."""
    import torch

    from crosslingua.translation.data import padded
    from crosslingua.translation.decoding import longest_output

    model, text = inputs(folder)
    peer, end = marian(model), model.vocabulary.end
    found: list[list[int]] = [[]] * len(text)
    with torch.no_grad():
        peer.generate(padded(text[:4], end), max_new_tokens=5, num_beams=1, do_sample=False)
        watch = Stopwatch()
        for batch in sorted_batches(text, args.batch):
            ids = padded([text[i] for i in batch], end)
            limit = longest_output(ids.shape[1] - 1, model.settings.max_length)
            said = peer.generate(
                ids, attention_mask=(ids != 0).long(), max_new_tokens=limit, num_beams=1, do_sample=False
            )
            for i, row in zip(batch, said[:, 1:].tolist(), strict=True):
                most = longest_output(len(text[i]), model.settings.max_length)
                found[i] = (row[: row.index(end)] if end in row else [w for w in row if w])[:most]
    finish(watch, found)


def ctranslate2(folder: Path, args: argparse.Namespace) -> None:
    """Time ctranslate2 on the same weights, in float32."""
    import ctranslate2 as peer

    from crosslingua.translation.decoding import longest_output

    model, text = inputs(folder)
    build_ct2(model, folder / "ct2")
    translator = peer.Translator(
        str(folder / "ct2"), device="cpu", compute_type="float32", intra_threads=args.threads, inter_threads=1
    )
    words = [f"w{i}" for i in range(model.vocabulary.size)]
    read = [[words[i] for i in (*s, model.vocabulary.end)] for s in text]
    options = {"beam_size": 1, "max_batch_size": args.batch, "max_decoding_length": 90}
    translator.translate_batch(read[:8], **options)
    watch = Stopwatch()
    said = translator.translate_batch(read, **options)
    most = [longest_output(len(s), model.settings.max_length) for s in text]
    finish(watch, [[int(word[1:]) for word in s.hypotheses[0]][:n] for s, n in zip(said, most, strict=True)])


def build_ct2(model, out: Path) -> None:
    """Write the model in ctranslate2's format."""
    import numpy as np
    from ctranslate2.specs import common_spec, transformer_spec

    s = model.settings
    spec = transformer_spec.TransformerSpec.from_config(
        (s.layers, s.layers), s.heads, pre_norm=False, activation=common_spec.Activation.RELU
    )

    def linear(place, weight, bias) -> None:
        place.weight, place.bias = weight.detach().numpy(), bias.detach().numpy()

    def norm(place, module) -> None:
        place.gamma, place.beta = module.weight.detach().numpy(), module.bias.detach().numpy()

    def attention(place, own, fused: bool) -> None:
        import torch

        weight, bias = (
            torch.cat([getattr(own.query, n), getattr(own.memory, n)]) for n in ("weight", "bias")
        )
        if fused:
            linear(place.linear[0], weight, bias)
        else:
            linear(place.linear[0], own.query.weight, own.query.bias)
            linear(place.linear[1], own.memory.weight, own.memory.bias)
        linear(place.linear[-1], own.out.weight, own.out.bias)

    table, places = model.table.detach().numpy(), model.places.numpy()
    for part, stack in ((spec.encoder, model.encoder), (spec.decoder, model.decoder)):
        embeddings = part.embeddings if part is spec.decoder else part.embeddings[0]
        embeddings.weight, embeddings.multiply_by_sqrt_depth = table, True
        part.scale_embeddings = True
        part.position_encodings.encodings = places
        for place, (layer,) in zip(part.layer, stack.layers, strict=True):
            attention(place.self_attention, layer.attention, True)
            norm(place.self_attention.layer_norm, layer.norms[0])
            if part is spec.decoder:
                attention(place.attention, layer.cross, False)
                norm(place.attention.layer_norm, layer.norms[1])
            linear(place.ffn.linear_0, layer.inner.weight, layer.inner.bias)
            linear(place.ffn.linear_1, layer.outer.weight, layer.outer.bias)
            norm(place.ffn.layer_norm, layer.norms[-1])
    spec.decoder.projection.weight = table
    bias = np.full(len(table), -1e9, np.float32)
    bias[model.vocabulary.outputs(1)] = 0
    spec.decoder.projection.bias = bias
    words = [f"w{i}" for i in range(model.vocabulary.size)]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.config.bos_token, spec.config.eos_token = words[4], words[model.vocabulary.end]
    spec.config.unk_token, spec.config.decoder_start_token = words[1], words[4]
    spec.config.add_source_bos = spec.config.add_source_eos = False
    spec.validate()
    spec.optimize(quantization="float32")
    out.mkdir()
    spec.save(str(out))


def training(folder: Path, args: argparse.Namespace) -> None:
    """Time unsupervised steps, and count what of their time is matrix products."""
    from torch.profiler import ProfilerActivity, profile

    from crosslingua.translation.data import encoded, read_texts
    from crosslingua.translation.training import Unsupervised, losses

    model, _ = inputs(folder)
    model.train()
    paths = [folder / f"train.{name}" for name in LANGUAGES]
    texts = read_texts(paths, data="halves", validation=1, max_length=60, seed=1)
    steps = Unsupervised(encoded(model.vocabulary, texts.train), model.settings, 1)

    def update(step: int) -> int:
        parts = steps.parts(step, model)
        sum(losses(model, parts).values()).backward()
        model.zero_grad()
        return sum(len(s) + 1 for part in parts for s in part.said)

    update(0)
    watch = Stopwatch()
    words = sum(update(step) for step in range(1, 21))
    times = watch.read()
    with profile(activities=[ProfilerActivity.CPU]) as found:
        update(21)
    own = {event.key: event.self_cpu_time_total for event in found.key_averages()}
    kinds = ("aten::mm", "aten::addmm", "aten::bmm")
    products = sum(time for name, time in own.items() if name in kinds or "attention" in name)
    report(**times, words=words, products=products / sum(own.values()))


SIDES = {
    "ours": ours, "uncached": uncached, "transformers": transformers, "ctranslate2": ctranslate2, "training": training,
}  # fmt: skip


def compare(folder: Path, args: argparse.Namespace) -> None:
    """Run all sides and print what they did."""
    options = ["--folder", folder, "--batch", args.batch, "--threads", args.threads]
    names = [n for n in SIDES if n != "ctranslate2" or importlib.util.find_spec("ctranslate2")]
    size = f"{args.layers} × {args.width}, {args.sentences:,} sentences"
    if "ctranslate2" not in names:
        record(args.json, "greedy translation", size, named("ctranslate2"))
    found = {name: run_side(__file__, name, args.threads, options) for name in names}
    for name, times in found.items():
        wall, cpu = (times["words"] / times[time] for time in ("seconds", "cpu"))
        print(f"{name:13} {wall:9,.0f} words/s {cpu:9,.0f} a CPU second {times['peak_mb']:6} MB")
    print(f"training: {found['training']['products']:.0%} of the time in matrix products and attention")
    for name in [n for n in names if n not in ("ours", "training")]:
        gain = found[name]["cpu"] / found["ours"]["cpu"] * found["ours"]["words"] / found[name]["words"]
        same = sum(a == b for a, b in zip(found["ours"]["found"], found[name]["found"], strict=True))
        print(
            f"ours is {gain:.2f} x as fast as {name} in CPU time; {same} of {len(found[name]['found'])} are the same"
        )
        is_same = same >= 0.99 * len(found[name]["found"])
        peer = "Crosslingua without a cache" if name == "uncached" else named(name)
        check = f"{same / len(found[name]['found']):.1%} of translations"
        record(args.json, "greedy translation", size, peer, found["ours"], found[name], is_same, check)
        assert is_same, f"other translations than {name}"


def main() -> None:
    """Run the benchmark or one side of it."""
    p = parser(__doc__)
    p.add_argument("--layers", type=int, default=2)
    p.add_argument("--width", type=int, default=128)
    p.add_argument("--steps", type=int, default=150, help="of the training before")
    p.add_argument("--sentences", type=int, default=1000, help="to translate")
    p.add_argument("--batch", type=int, default=64, help="sentences of a peer's batch")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--side", choices=SIDES, help="internal")
    p.add_argument("--folder", type=Path, help="internal")
    args = p.parse_args()
    if args.side:
        import torch

        torch.set_num_threads(args.threads)
        SIDES[args.side](args.folder, args)
        return
    print(machine("torch", "transformers"))
    print(
        json.dumps(
            {name: getattr(args, name) for name in ("layers", "width", "sentences", "batch", "threads")}
        )
    )
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), args)
        compare(Path(name), args)


if __name__ == "__main__":
    main()
