"""A RoBERTa of a few thousand weights with a subword tokenizer, as a Hugging Face folder."""

import json
from collections.abc import Sequence
from pathlib import Path

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def write_encoder(
    folder: Path, words: Sequence[str] = (), positions: int = 40, languages: Sequence[str] = (), seed: int = 0
) -> Path:
    """Write an encoder with random weights; `words` are pieces of their own, others are spelled."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaModel

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    names = [*special, *LETTERS, *(f"##{letter}" for letter in LETTERS), *words]
    vocabulary = {name: number for number, name in enumerate(dict.fromkeys(names))}
    pieces = Tokenizer(models.WordPiece(vocabulary, unk_token="<unk>"))
    pieces.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    pieces.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=pieces, bos_token="<s>", cls_token="<s>", eos_token="</s>", sep_token="</s>",
        pad_token="<pad>", unk_token="<unk>", mask_token="<mask>",
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)  # fmt: skip
    torch.manual_seed(seed)
    config = RobertaConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=positions + 2, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, type_vocab_size=max(1, len(languages)),
    )  # fmt: skip
    RobertaModel(config).save_pretrained(folder)
    if languages:
        path = folder / "config.json"
        content = json.loads(path.read_text()) | {"lang2id": {name: i for i, name in enumerate(languages)}}
        path.write_text(json.dumps(content))
    return folder


def write_text_to_text(
    folder: Path, words: Sequence[str] = (), kind: str = "mt5", sentinels: int = 100, seed: int = 0
) -> Path:
    """Write a T5 or an mT5 with random weights, as `write_encoder`; its tokenizer spells small letters only."""
    import torch
    import transformers
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

    pieces = ["<pad>", "</s>", "<unk>", *LETTERS, *(f"##{letter}" for letter in LETTERS), *words]
    vocabulary = {name: number for number, name in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    names = [f"<extra_id_{number}>" for number in reversed(range(sentinels))]
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in names])
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    config = getattr(transformers, f"{kind.upper()}Config")(
        vocab_size=len(vocabulary) + sentinels, d_model=32, d_kv=16, d_ff=64, num_layers=2, num_heads=2,
        decoder_start_token_id=0, dropout_rate=0.0,
    )  # fmt: skip
    model = getattr(transformers, f"{kind.upper()}ForConditionalGeneration")(config)
    torch.nn.init.normal_(model.shared.weight, std=0.2)
    model.save_pretrained(folder)
    return folder
