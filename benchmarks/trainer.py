"""The other side of fine_tuning.py: the Hugging Face Trainer, used as its own examples use it.

Rows are padded to one length (`--padding max_length`), as run_glue.py and run_qa.py do unless told otherwise, or to the
longest of their batch (`longest`), as run_ner.py does. Questions are those of run_qa.py: overlapping windows, a start
and an end in each. Its answers are read off by the best start and end of each window, less work than the 20 best of
run_qa.py. Prints the loss of the last epoch as JSON.
"""

import argparse
import json
from pathlib import Path
from typing import Any

CLASSES = {"nli": ("entailment", "neutral", "contradiction")}
QUESTIONS = "qa"


def train(folder: Path, args: argparse.Namespace) -> float:
    """Fine-tune, score validation data each epoch, keep the best, predict the test file; return the last loss."""
    import numpy as np
    import torch
    from transformers import Trainer, TrainingArguments

    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    tokenizer, splits, labels = encoded(folder, args)
    steps = -(-len(splits["train"]) // args.batch_size) * args.epochs
    options = TrainingArguments(
        output_dir=str(folder / "peer"), num_train_epochs=args.epochs, per_device_train_batch_size=args.batch_size,
        per_device_eval_batch_size=64, learning_rate=args.rate, warmup_steps=round(0.1 * steps), weight_decay=0.0,
        max_grad_norm=1.0, use_cpu=True, eval_strategy="epoch", save_strategy="epoch", load_best_model_at_end=True,
        metric_for_best_model="accuracy", save_total_limit=1, logging_strategy="epoch", report_to=[],
        disable_tqdm=True, seed=1,
    )  # fmt: skip

    def accuracy(told: Any) -> dict[str, float]:
        found, wanted = best(told.predictions), np.stack(parts(told.label_ids), axis=1)
        return {"accuracy": float((found == wanted)[wanted != -100].mean())}

    trainer = Trainer(
        model(folder, args.task, len(labels)), options, compute_metrics=accuracy, train_dataset=splits["train"],
        eval_dataset=splits["valid"], processing_class=tokenizer, data_collator=collator(tokenizer, args.task),
    )  # fmt: skip
    trainer.train()
    found = best(trainer.predict(splits["test"]).predictions)
    np.savetxt(folder / "peer.txt", found.reshape(len(found), -1), fmt="%d")
    return [float(entry["loss"]) for entry in trainer.state.log_history if "loss" in entry][-1]


def collator(tokenizer: Any, task: str) -> Any:
    """Return what pads rows to the longest of their batch: nothing to do where all are of one length."""
    import transformers

    if task in CLASSES or task == QUESTIONS:
        return transformers.DataCollatorWithPadding(tokenizer)
    return transformers.DataCollatorForTokenClassification(tokenizer)


def parts(values: Any) -> tuple[Any, ...]:
    """Return the values of starts and of ends, or those of the only output."""
    return values if isinstance(values, tuple) else (values,)


def best(scores: Any) -> Any:
    """Return the places of the highest scores, a row an example, of starts and ends in columns of their own."""
    import numpy as np

    return np.stack([part.argmax(-1) for part in parts(scores)], axis=1)


def model(folder: Path, task: str, labels: int) -> Any:
    """Return the encoder with the task's head."""
    import transformers

    if task == QUESTIONS:
        return transformers.AutoModelForQuestionAnswering.from_pretrained(folder / "encoder")
    kind = "SequenceClassification" if task in CLASSES else "TokenClassification"
    return getattr(transformers, f"AutoModelFor{kind}").from_pretrained(folder / "encoder", num_labels=labels)


def encoded(folder: Path, args: argparse.Namespace) -> tuple[Any, dict[str, list[dict[str, Any]]], list[str]]:
    """Return the tokenizer, the rows of each split, padded to one length or not yet, and the labels."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder / "encoder")
    is_padded = args.padding == "max_length"
    padding = {
        "padding": "max_length" if is_padded else False,
        "truncation": True,
        "max_length": args.max_length,
    }
    read = {split: (folder / f"{args.task}.{split}").read_text() for split in ("train", "valid", "test")}
    if args.task == QUESTIONS:
        return tokenizer, {k: question_rows(text, tokenizer, padding) for k, text in read.items()}, []
    if args.task in CLASSES:
        labels = list(CLASSES[args.task])
        return tokenizer, {k: pair_rows(text, tokenizer, labels, padding) for k, text in read.items()}, labels
    tagged = {split: tagged_sentences(text) for split, text in read.items()}
    labels = sorted({tag for _, tags in tagged["train"] for tag in tags})
    rows = {
        split: [tag_row(*one, tokenizer, labels, padding) for one in found] for split, found in tagged.items()
    }
    return tokenizer, rows, labels


def question_rows(text: str, tokenizer: Any, padding: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row a window of a file in SQuAD's format; a window without the answer points at its first piece."""
    asked = [
        (paragraph["context"], question["question"], question["answers"][0])
        for article in json.loads(text)["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]
    told = tokenizer(
        [question for _, question, _ in asked],
        [context for context, _, _ in asked],
        **padding | {"truncation": "only_second"},
        stride=padding["max_length"] // 3,
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
    )
    return [
        {"input_ids": ids, "attention_mask": told["attention_mask"][row]}
        | span(
            told["offset_mapping"][row],
            told.sequence_ids(row),
            asked[told["overflow_to_sample_mapping"][row]][2],
        )
        for row, ids in enumerate(told["input_ids"])
    ]


def span(offsets: list[tuple[int, int]], parts: list[int | None], answer: dict[str, Any]) -> dict[str, int]:
    """Return the pieces of a window in which the answer begins and ends, 0 and 0 where it is not in it."""
    first, last = answer["answer_start"], answer["answer_start"] + len(answer["text"])
    own = [place for place, part in enumerate(parts) if part == 1]
    if not own or offsets[own[0]][0] > first or offsets[own[-1]][1] < last:
        return {"start_positions": 0, "end_positions": 0}
    start = max(place for place in own if offsets[place][0] <= first)
    end = min(place for place in own if offsets[place][1] >= last)
    return {"start_positions": start, "end_positions": end}


def pair_rows(text: str, tokenizer: Any, labels: list[str], padding: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a file of sentence pairs."""
    lines = [line.split("\t") for line in text.splitlines()[1:]]
    told = tokenizer([line[0] for line in lines], [line[1] for line in lines], **padding)
    return [
        {"input_ids": ids, "attention_mask": mask, "labels": labels.index(line[2])}
        for ids, mask, line in zip(told["input_ids"], told["attention_mask"], lines, strict=True)
    ]


def tagged_sentences(text: str) -> list[tuple[list[str], list[str]]]:
    """Return the words and the tags of each sentence of a two-column file."""
    sentences = [
        [line.split("\t") for line in block.splitlines() if not line.startswith("# ")]
        for block in text.strip().split("\n\n")
    ]
    return [([word for word, _ in one], [tag for _, tag in one]) for one in sentences]


def tag_row(
    words: list[str], tags: list[str], tokenizer: Any, labels: list[str], padding: dict[str, Any]
) -> dict:
    """Return the row of a sentence, each word's label at its first piece."""
    told = tokenizer(words, is_split_into_words=True, **padding)
    owners = told.word_ids()
    first = [
        owner is not None and owner != before for owner, before in zip(owners, [None, *owners], strict=False)
    ]
    gold = [
        labels.index(tags[o]) if is_first and tags[o] in labels else -100
        for o, is_first in zip(owners, first, strict=True)
    ]
    return {"input_ids": told["input_ids"], "attention_mask": told["attention_mask"], "labels": gold}


def main() -> None:
    """Train one task on the files of a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, required=True, help="TASK.{train,valid,test} and encoder/")
    parser.add_argument("--task", required=True)
    for name in ("max-length", "batch-size", "epochs", "threads"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--padding", choices=["max_length", "longest"], required=True)
    args = parser.parse_args()
    print(json.dumps({"loss": train(args.folder, args)}))


if __name__ == "__main__":
    main()
