#!/usr/bin/env python3
"""Compares 20 steps of bert-train --task embed against a teacher's vectors or scores, or with a guide, with those
of sentence-transformers in float64.

usage: check_distill.py DIRECTORY_OF_THE_TOOLS

Needs torch, safetensors and sentence-transformers 6.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
    from safetensors.torch import load_file
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import losses, modules
    from sentence_transformers.util import pairwise_cos_sim, pairwise_dot_score
    from transformers.utils import logging
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

BARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models", "bare")
STEPS, BATCH, RATE, DECAY, SEED = 20, 6, 1e-3, 0.01, 5
MOST = 1e-5

# The student's modules after pooling, numbers of a dense module or "unit"; the loss; the teacher's vectors.
CASES = [
    {"name": "mse", "after": [], "loss": "mse", "width": 52},
    {"name": "cosine", "after": [], "loss": "cosine", "width": 52},
    {"name": "l2, pairs with the same vector", "after": [], "loss": "l2", "width": 52, "pairs": True},
    {"name": "mse, unit length", "after": ["unit"], "loss": "mse", "width": 52},
    {"name": "l2, unit length, npy of f16", "after": ["unit"], "loss": "l2", "width": 52, "file": "float16"},
    {"name": "mse, Dense", "after": [20], "loss": "mse", "width": 20},
    {"name": "l2, Dense and unit length", "after": [20, "unit"], "loss": "l2", "width": 20},
    {"name": "cosine, Matryoshka", "after": ["unit"], "loss": "cosine", "width": 52, "dims": [8, 20]},
    {"name": "mse, Dense with Tanh", "after": [(20, "Tanh")], "loss": "mse", "width": 20},
    {"name": "cosine, Dense with GELU", "after": [(20, "GELU"), "unit"], "loss": "cosine", "width": 20},
    {"name": "mse, Dense, Matryoshka", "after": [20], "loss": "mse", "width": 20, "dims": [8]},
    {"name": "mse, projection dropped", "after": [], "loss": "mse", "width": 24, "projection": "drop"},
    {"name": "l2, unit length, projection dropped, npy", "after": ["unit"], "loss": "l2", "width": 70,
     "projection": "drop", "file": "float32"},
    {"name": "mse, projection kept", "after": [], "loss": "mse", "width": 24, "projection": "keep"},
    {"name": "cosine, projection kept", "after": ["unit"], "loss": "cosine", "width": 70, "projection": "keep",
     "dims": [9]},
]
# Losses of scores: "negatives" of each record.
RATED = [
    {"name": "margin-mse, dot product", "after": [], "loss": "margin-mse", "negatives": 2, "similarity": "dot"},
    {"name": "margin-mse, Matryoshka", "after": ["unit"], "loss": "margin-mse", "negatives": 1, "scale": 5, "dims": [8],
     "width": 52},
    {"name": "kl, dot product", "after": [], "loss": "kl", "negatives": 3, "similarity": "dot", "temperature": 9},
    {"name": "kl", "after": ["unit"], "loss": "kl", "negatives": 2, "scale": 10, "temperature": 2},
]
# With the vectors of a guide.
GUIDED = [
    {"name": "gist", "after": ["unit"], "loss": "gist", "negatives": 1, "scale": 50, "margin": 0.02},
    {"name": "gist, relative margin, Matryoshka", "after": ["unit"], "loss": "gist", "negatives": 0, "scale": 100,
     "relative-margin": 0.05, "dims": [16], "width": 52},
]


def make_texts(chance):
    with open(os.path.join(BARE, "vocab.txt"), encoding="utf-8") as file:
        words = [word for word in file.read().split("\n") if word.isalpha()]
    return [" ".join(chance.choice(words) for _ in range(1 + chance.randrange(12))) for _ in range(STEPS * BATCH)]


def make_student(after):
    transformer = modules.Transformer(BARE)
    transformer.auto_model.config.hidden_dropout_prob = transformer.auto_model.config.attention_probs_dropout_prob = 0
    for part in transformer.auto_model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0
    parts = [transformer, modules.Pooling(52, "mean")]
    for one in after:
        if one == "unit":
            parts.append(modules.Normalize())
        else:
            width, activation = one if isinstance(one, tuple) else (one, "Identity")
            parts.append(modules.Dense(52, width, activation_function=getattr(torch.nn, activation)()))
    return SentenceTransformer(modules=parts, device="cpu")


def make_records(case, folder):
    """The columns of texts and the vectors, which are also written to FILEs of `folder`."""
    chance = random.Random(case["name"])
    columns = [make_texts(chance) for _ in range(1 + case.get("pairs", False))]
    numbers = torch.Generator().manual_seed(chance.randrange(1 << 30))
    vectors = torch.randn(STEPS * BATCH, case["width"], generator=numbers)
    if case["after"][-1:] == ["unit"]:
        vectors = torch.nn.functional.normalize(vectors)
    in_file = case.get("file")
    if in_file:
        vectors = vectors.to(getattr(torch, in_file))
        numpy.save(os.path.join(folder, "vectors.npy"), vectors.numpy())
    with open(os.path.join(folder, "records.jsonl"), "w", encoding="utf-8") as file:
        for number, texts in enumerate(zip(*columns)):
            record = dict(zip(("text", "text_pair"), texts))
            if not in_file:
                record["embedding"] = vectors[number].tolist()
            file.write(json.dumps(record) + "\n")
    return columns, vectors.double()


def make_rated(case, folder):
    chance = random.Random(case["name"])
    columns = [make_texts(chance) for _ in range(2 + case["negatives"])]
    scores = [[chance.randrange(-32, 33) / 8 for _ in columns[1:]] for _ in columns[0]]
    with open(os.path.join(folder, "records.jsonl"), "w", encoding="utf-8") as file:
        for (text, pair, *negatives), of_record in zip(zip(*columns), scores):
            file.write(json.dumps({"text": text, "text_pair": pair, "negatives": negatives, "scores": of_record}) + "\n")
    return columns, torch.tensor(scores, dtype=torch.float64)


def make_guided(case, folder):
    """The columns, and the guide, whose vectors are written."""
    chance = random.Random(case["name"])
    columns = [make_texts(chance) for _ in range(2 + case["negatives"])]
    torch.manual_seed(SEED + 1)
    guide = make_student(["unit"]).eval()
    numpy.save(os.path.join(folder, "guide.npy"), guide.encode([text for texts in zip(*columns) for text in texts]))
    with open(os.path.join(folder, "records.jsonl"), "w", encoding="utf-8") as file:
        for text, pair, *negatives in zip(*columns):
            file.write(json.dumps({"text": text, "text_pair": pair, "negatives": negatives}) + "\n")
    return columns, guide


def run(tool, case, folder, *options):
    """The log of bert-train, started from `folder`/student."""
    command = [tool, "-q", "--task", "embed", "-m", "student", "--loss", case["loss"], "--no-shuffle", "--dropout", "0",
               "--log-every", "1", "--batch-size", str(BATCH), "--warmup", "0", "--schedule", "constant",
               "--weight-decay", str(DECAY), "--clip", "0", "--seed", str(SEED), *options]
    if "file" in case:
        command += ["--teacher-vectors", "vectors.npy"]
    if case["loss"] == "gist":
        command += ["--guide-vectors", "guide.npy"]
    for key in ("similarity", "scale", "temperature", "margin", "relative-margin"):
        if key in case:
            command += ["--" + key, str(case[key])]
    if "dims" in case:
        command += ["--dims", ",".join(map(str, case["dims"]))]
    output = subprocess.run([*command, "records.jsonl"], cwd=folder, stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def initial_projection(tool, case, folder):
    """A run without learning leaves the projection as it was initialized."""
    kept = {key: value for key, value in case.items() if key != "dims"}
    run(tool, kept, folder, "-o", "initial", "--steps", "1", "--lr", "0", "--projection", "keep")
    return load_file(os.path.join(folder, "initial", "2_Dense", "model.safetensors"))


def loss_of(case, student, projection, guide):
    if case["loss"] == "gist":
        strategy = "relative" if "relative-margin" in case else "absolute"
        return losses.GISTEmbedLoss(student, guide, 1 / case["scale"], strategy,
                                    case.get("relative-margin", case.get("margin")))
    if "negatives" not in case:
        return losses.EmbedDistillLoss(student, case["loss"], case["width"] if projection else None)
    def similarity(a, b):
        return pairwise_dot_score(a, b) if case.get("similarity") == "dot" else case["scale"] * pairwise_cos_sim(a, b)
    if case["loss"] == "margin-mse":
        return losses.MarginMSELoss(student, similarity_fct=similarity)
    return losses.DistillKLDivLoss(student, similarity_fct=similarity, temperature=case["temperature"])


def expected_steps(case, student, columns, vectors, projection):
    if projection and case["projection"] == "keep":
        dense = modules.Dense(52, case["width"], activation_function=torch.nn.Identity())
        dense.load_state_dict(projection)
        parts = list(student)
        student = SentenceTransformer(modules=[*parts[:2], dense, *parts[2:]], device="cpu")
        projection = None
    student.double().train()
    loss = loss_of(case, student, projection, vectors)
    if projection:
        loss.projection.load_state_dict({name.removeprefix("linear."): value for name, value in projection.items()})
    if "dims" in case:
        loss = losses.MatryoshkaLoss(student, loss, [*case["dims"], case["width"]])
    loss.double()
    groups = [{"params": [], "weight_decay": decay} for decay in (DECAY, 0)]
    for name, parameter in loss.named_parameters():
        if "pooler" not in name:
            groups["LayerNorm" in name or "bias" in name]["params"].append(parameter)
    optimizer = torch.optim.AdamW(groups, lr=RATE)
    for first in range(0, STEPS * BATCH, BATCH):
        features = [student.preprocess(texts[first:first + BATCH]) for texts in columns]
        value = loss(features, None if case["loss"] == "gist" else vectors[first:first + BATCH])
        optimizer.zero_grad()
        value.backward()
        gradients = [parameter.grad for parameter in loss.parameters() if parameter.grad is not None]
        norm = sum(gradient.square().sum() for gradient in gradients).sqrt()
        yield {"loss": value.item(), "gradient_norm": norm.item()}
        optimizer.step()


def differences(tool, case, folder):
    make = make_guided if case["loss"] == "gist" else make_rated if "negatives" in case else make_records
    columns, vectors = make(case, folder)
    torch.manual_seed(SEED)
    student = make_student(case["after"])
    student.save(os.path.join(folder, "student"))
    projection = initial_projection(tool, case, folder) if "projection" in case else None
    options = ["--projection", case["projection"]] if projection else []
    found = run(tool, case, folder, "-o", "out", "--lr", str(RATE), *options)
    wrong = 0 if len(found) == STEPS else 1
    for step, (ours, theirs) in enumerate(zip(found, expected_steps(case, student, columns, vectors, projection)), 1):
        for key, value in theirs.items():
            if not abs(ours[key] - value) <= MOST * max(1, abs(value)):
                print(f"{case['name']}, step {step}: {key} is {ours[key]}, expected {value}")
                wrong += 1
    print(f"{case['name']}: {len(found)} steps, {wrong} differences; the last loss is {found[-1]['loss']}")
    return wrong


def main():
    tool = os.path.abspath(os.path.join(sys.argv[1], "bert-train"))
    wrong = 0
    for case in CASES + RATED + GUIDED:
        with tempfile.TemporaryDirectory() as folder:
            wrong += differences(tool, case, folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    logging.disable_progress_bar()
    sys.exit(main())
