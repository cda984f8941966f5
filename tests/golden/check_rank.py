#!/usr/bin/env python3
"""Compares 20 steps of bert-train --task rank with those of the CrossEncoder losses of sentence-transformers, and
the scores of the trained model as CrossEncoder predicts them with those of bert-predict.

usage: check_rank.py DIRECTORY_OF_THE_TOOLS

Needs torch and sentence-transformers 6.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import torch
    from sentence_transformers import CrossEncoder
    from sentence_transformers.cross_encoder import losses
    from transformers.utils import logging
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models", "rank")
STEPS, BATCH, RATE, DECAY, SEED = 20, 6, 1e-3, 0.01, 5
MOST = 1e-5

# The form of the records, the values that labels or scores have, and the loss of sentence-transformers.
CASES = [
    {"loss": "binary", "form": "pairs", "values": [0, 0.25, 1], "theirs": losses.BinaryCrossEntropyLoss},
    {"loss": "mse", "form": "pairs", "values": [-2, 0.5, 3.25], "theirs": losses.MSELoss},
    {"loss": "margin-mse", "form": "negatives", "values": [-4, -1.5, 2, 5], "theirs": losses.MarginMSELoss},
    {"loss": "listnet", "form": "documents", "values": [0, 1, 2, 3], "theirs": losses.ListNetLoss},
    {"loss": "lambda", "form": "documents", "values": [0, 1, 2, 3], "theirs": losses.LambdaLoss},
]


def make_texts(chance, count):
    with open(os.path.join(MODEL, "vocab.txt"), encoding="utf-8") as file:
        words = [word for word in file.read().split("\n") if word.isalpha()]
    return [" ".join(chance.choice(words) for _ in range(1 + chance.randrange(10))) for _ in range(count)]


def make_records(case, path):
    chance = random.Random(case["loss"])
    records = []
    for text in make_texts(chance, STEPS * BATCH):
        size = {"pairs": 1, "negatives": 3, "documents": 2 + chance.randrange(4)}[case["form"]]
        texts, values = make_texts(chance, size), [chance.choice(case["values"]) for _ in range(size)]
        records.append({"pairs": {"text": text, "text_pair": texts[0], "label": values[0]},
                        "negatives": {"text": text, "text_pair": texts[0], "negatives": texts[1:], "scores": values},
                        "documents": {"text": text, "documents": texts, "labels": values}}[case["form"]])
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return records


def inputs_of(case, records):
    """The columns and labels of a step."""
    texts = [record["text"] for record in records]
    if case["form"] == "pairs":
        return [texts, [record["text_pair"] for record in records]], torch.tensor(
            [float(record["label"]) for record in records])
    if case["form"] == "negatives":
        negatives = list(zip(*(record["negatives"] for record in records)))
        return [texts, [record["text_pair"] for record in records], *map(list, negatives)], torch.tensor(
            [record["scores"] for record in records], dtype=torch.float64)
    return [texts, [record["documents"] for record in records]], [
        torch.tensor(record["labels"], dtype=torch.float64) for record in records]


def expected_steps(case, records):
    encoder = CrossEncoder(MODEL, device="cpu")
    for part in encoder.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0
    encoder.double().train()
    identity = {"activation_fn": torch.nn.Identity()}
    loss = case["theirs"](encoder, **identity)
    groups = [{"params": [], "weight_decay": decay} for decay in (DECAY, 0)]
    for name, parameter in encoder.named_parameters():
        groups["LayerNorm" in name or "bias" in name]["params"].append(parameter)
    optimizer = torch.optim.AdamW(groups, lr=RATE)
    for first in range(0, STEPS * BATCH, BATCH):
        value = loss(*inputs_of(case, records[first:first + BATCH]))
        optimizer.zero_grad()
        value.backward()
        norm = sum(parameter.grad.square().sum() for parameter in encoder.parameters()
                   if parameter.grad is not None).sqrt()
        yield {"loss": value.item(), "gradient_norm": norm.item()}
        optimizer.step()


def differences(tools, case, folder):
    path = os.path.join(folder, "records.jsonl")
    records = make_records(case, path)
    output = subprocess.run(
        [os.path.join(tools, "bert-train"), "-q", "--task", "rank", "-m", MODEL, "--loss", case["loss"],
         "--no-shuffle", "--dropout", "0", "--log-every", "1", "--batch-size", str(BATCH), "--epochs", "1",
         "--warmup", "0", "--schedule", "constant", "--weight-decay", str(DECAY), "--clip", "0", "--seed", str(SEED),
         "--lr", str(RATE), "-o", os.path.join(folder, "out"), path], stdout=subprocess.PIPE, check=True).stdout
    found = [json.loads(line) for line in output.splitlines()]
    wrong = 0 if len(found) == STEPS else 1
    for step, (ours, theirs) in enumerate(zip(found, expected_steps(case, records)), 1):
        for key, value in theirs.items():
            if not abs(ours[key] - value) <= MOST * max(1, abs(value)):
                print(f"{case['loss']}, step {step}: {key} is {ours[key]}, expected {value}")
                wrong += 1
    print(f"{case['loss']}: {len(found)} steps, {wrong} differences; the last loss is {found[-1]['loss']}")
    return wrong + wrong_scores(tools, case, folder)


def wrong_scores(tools, case, folder):
    """Scores of the trained model, also whether they are logits or probabilities."""
    pairs = list(zip(make_texts(random.Random(1), 8), make_texts(random.Random(2), 8)))
    given = "".join(json.dumps(dict(zip(("text", "text_pair"), pair))) + "\n" for pair in pairs)
    output = subprocess.run([os.path.join(tools, "bert-predict"), "-q", "-m", os.path.join(folder, "out")],
                            input=given.encode(), stdout=subprocess.PIPE, check=True).stdout
    ours = [json.loads(line)["prediction"] for line in output.splitlines()]
    theirs = CrossEncoder(os.path.join(folder, "out"), device="cpu").predict(pairs).tolist()
    worst = max(abs(a - b) for a, b in zip(ours, theirs))
    if worst <= MOST:
        return 0
    print(f"{case['loss']}: scores of the trained model differ by {worst}: {ours}, CrossEncoder has {theirs}")
    return 1


def main():
    tools = os.path.abspath(sys.argv[1])
    wrong = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            wrong += differences(tools, case, folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    logging.disable_progress_bar()
    sys.exit(main())
