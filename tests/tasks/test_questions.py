import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import InputError
from crosslingua.io.squad import Answer, Article, Paragraph, Question, write_squad
from crosslingua.tasks.kinds import KINDS, VIEWS, kind_of, score
from crosslingua.tasks.questions import Example
from crosslingua.tasks.training import FineTuning, fine_tune
from tiny_encoder import write_encoder

QA = KINDS["qa"].task()
WORDS = ("dog", "cat", "sees", "the", "old", "where", "who")
SETTINGS = FineTuning(learning_rate=5e-3, epochs=30, batch_size=8, stride=8, answer_length=4, max_length=40)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"), WORDS)


@pytest.fixture
def encoder(folder: Path) -> Encoder:
    return Encoder.load(folder).eval()


def example(context: str, answer: str, question: str = "who", name: str = "1") -> Example:
    return Example(name, question, context, (Answer(answer, context.index(answer)),))


def test_the_loss_is_that_of_hugging_faces_model(folder: Path, encoder: Encoder) -> None:
    from transformers import RobertaForQuestionAnswering

    examples = [example("the old dog sees", "old dog"), example("dog cat the cat", "cat")]  # of one length
    model = QA.model(encoder, examples, SETTINGS).eval()
    theirs = RobertaForQuestionAnswering.from_pretrained(folder).eval()
    theirs.roberta.load_state_dict(encoder.model.state_dict())
    theirs.qa_outputs.load_state_dict(model.scores.state_dict())
    inputs = encoder.tokenizer(["who"] * 2, [one.context for one in examples], return_tensors="pt")
    begin = 1 + 1 + 2  # <s> who </s> </s>
    expected = theirs(
        **inputs,
        start_positions=torch.tensor([begin + 1, begin + 1]),
        end_positions=torch.tensor([begin + 2, begin + 1]),
    ).loss
    data = model.prepare(examples, "en")
    assert data.places.tolist() == [[begin + 1, begin + 2], [begin + 1, begin + 1]]
    assert torch.allclose(model.loss(data, np.arange(2)), expected, atol=1e-6)


def test_questions_are_learnt_to_the_last_one(folder: Path) -> None:
    """`who` asks for the dog and `where` for the cat of a passage, which may be longer than a window."""
    rng, examples = np.random.default_rng(1), []
    for number in range(96):
        words = rng.choice(
            ["sees", "old", "the"], 45 if number % 8 == 0 else int(rng.integers(3, 12))
        ).tolist()
        places = rng.choice(len(words), 2, replace=False).tolist()
        question, answer = [("who", "dog"), ("where", "cat")][number % 2]
        words[places[0]], words[places[1]] = "dog", "cat"
        examples.append(example(" ".join(words), answer, question, str(number)))
    torch.manual_seed(1)
    encoder = Encoder.load(folder)
    encoder.limit(40)
    model = QA.model(encoder, examples, SETTINGS)
    data = model.prepare(examples, "en")
    assert data.report()["long_passages"] == 12
    assert data.report()["lost_answers"] == 0
    fine_tune(model, data, lambda: QA.score(examples, model.predict(data)), SETTINGS, 1)
    assert QA.score(examples, model.predict(data)) > 97


def test_what_does_not_fit_is_counted(encoder: Encoder) -> None:
    encoder.limit(16)
    settings = replace(SETTINGS, question_length=4, stride=3)
    examples = [
        example("dog", "dog", "who " * 30, "long question"),
        example("the " * 30 + "dog", "dog", "who", "long passage"),
        example("the dogcat sees", "dogca", "who", "split answer"),
        example("the " * 4 + "dog " * 12 + "the", ("dog " * 12).strip(), "who", "longer than a window"),
    ]
    model = QA.model(encoder, examples, settings).eval()
    data = model.prepare(examples, "en")
    report = data.report()
    assert {k: report[k] for k in ("questions", "cut_questions", "long_passages", "split_answers", "lost_answers")} == {
        "questions": 4, "cut_questions": 1, "long_passages": 2, "split_answers": 0, "lost_answers": 1,
    }  # fmt: skip
    assert max(data.lengths) <= 16
    found = model.predict(data)
    assert len(found) == 4
    assert all(text and text in one.context for text, one in zip(found, examples, strict=True))


def test_an_answer_that_pieces_split_is_counted(folder: Path, encoder: Encoder) -> None:
    examples = [example("the dogs see", "og", "who")]
    model = QA.model(encoder, examples, SETTINGS)
    data = model.prepare(examples, "en")
    pieces = encoder.tokenizer("dogs", add_special_tokens=False)["input_ids"]
    assert len(pieces) == 2  # dog ##s
    assert data.report()["split_answers"] == 1
    assert data.places[0].tolist() == [5, 5]


def test_a_passage_of_nothing_has_no_answer(encoder: Encoder) -> None:
    model = QA.model(encoder, [], SETTINGS).eval()
    data = model.prepare([Example("1", "who", " ", ()), Example("2", "who", "dog", ())], "en")
    assert model.predict(data)[0] == ""
    assert model.predict(data)[1] == "dog"


def test_predictions_depend_on_neither_order_nor_batch(encoder: Encoder) -> None:
    torch.manual_seed(3)
    texts = ["dog", "the cat sees " * 9, "old dog", "sees the " * 20, "cat sees"]
    examples = [Example(str(n), "who the", text, ()) for n, text in enumerate(texts)]
    model = QA.model(encoder, examples, SETTINGS).eval()
    together = model.predict(model.prepare(examples, "en"))
    assert together == [model.predict(model.prepare([one], "en"))[0] for one in examples]
    assert together[::-1] == model.predict(model.prepare(examples[::-1], "en"))


def squad(path: Path, *answers: tuple[str, ...]) -> Path:
    paragraphs = tuple(
        Paragraph(
            " | ".join(right),
            (Question(str(n), "who", tuple(Answer(a, " | ".join(right).index(a)) for a in right)),),
        )
        for n, right in enumerate(answers)
    )
    write_squad(path, [Article("t", paragraphs)])
    return path


def test_a_file_of_predictions_is_scored_by_hand(tmp_path: Path) -> None:
    gold = squad(tmp_path / "gold", ("the red car",), ("die große Stadt", "Wien"), ("北京市",), ("red car",))
    found = {"0": "red car", "1": "der großen Stadt", "2": "北京", "3": ""}
    (tmp_path / "found").write_text(json.dumps(found), encoding="utf-8")
    scores = score("qa", gold, tmp_path / "found")
    assert (scores["em"], scores["questions"], scores["empty"]) == (25, 4, 1)
    assert scores["f1"] == pytest.approx(100 * (1 + 1 / 3 + 0 + 0) / 4)
    assert np.mean(scores["per_sentence"]) == pytest.approx(scores["f1"])
    assert scores["majority"] == pytest.approx(50)  # "red car", twice the most frequent
    assert "em_mlqa" not in scores
    german = score("mlqa", gold, tmp_path / "found", "de")
    assert german["f1_mlqa"] == pytest.approx(
        100 * (0.8 + 0.5 + 0 + 0) / 4
    )  # "die" and "der" go, "the" stays
    assert score("mlqa", gold, tmp_path / "found", "zh")["per_question"]["f1_mlqa"][2] == pytest.approx(80)
    assert german["signature"] == "squad1.1|mlqa=de"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"0": "a"}', "no prediction of 1"),
        ('{"0": "a", "1": "b", "2": "c"}', "question that .* lacks, 2"),
        ("[]", "no predictions of SQuAD"),
    ],
)
def test_predictions_of_other_questions_are_refused(tmp_path: Path, content: str, message: str) -> None:
    gold = squad(tmp_path / "gold", ("a",), ("b",))
    (tmp_path / "found").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        score("qa", gold, tmp_path / "found")


def test_views_share_the_data_of_questions() -> None:
    assert {name: kind_of(name).data_kind for name in VIEWS} == dict.fromkeys(
        ("xquad", "mlqa", "tydiqa"), "qa"
    )
    assert Counter(kind.data_kind == name for name, kind in KINDS.items()) == {True: len(KINDS)}
