#!/usr/bin/env python3
"""Compares bert-embed --sparse with the SparseEncoder of sentence-transformers, for models of several types, and 20 steps
of bert-train --task embed --sparse with its SpladeLoss in float64.

Usage: check_sparse.py TOOLS_DIRECTORY      (needs torch, transformers 5 and sentence-transformers 6)
"""
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import torch
    from sentence_transformers.sparse_encoder import SparseEncoder, losses
    from sentence_transformers.base.modules.transformer import Transformer
    from sentence_transformers.sparse_encoder.models import SpladePooling
    from transformers.utils import logging
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "type-models")
WAYS = {"max": ("max", "relu"), "sum": ("sum", "relu"), "max-log": ("max", "log1p_relu"), "sum-log": ("sum", "log1p_relu")}


STEPS, BATCH, RATE, DECAY, SEED, MOST = 20, 6, 1e-3, 0.01, 5, 2e-5
TRAINED = [{"loss": "ranking", "negatives": 0, "way": "max", "flops": (0.03, 0.05)},
           {"loss": "ranking", "negatives": 2, "way": "max-log", "flops": (0.1, 0), "scale": 0.5},
           {"loss": "margin-mse", "negatives": 1, "way": "max", "flops": (0, 0.2)},
           {"loss": "kl", "negatives": 3, "way": "max-log", "flops": (0.02, 0.01), "temperature": 2}]


def without_dropout(encoder):
    for part in encoder.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0
    return encoder


def texts_of(case, salt):
    chance = random.Random(f"{case} {salt}")
    words = "the king of a castle snow river and good cold mountains was".split()
    columns = [[" ".join(chance.choice(words) for _ in range(1 + chance.randrange(9))) for _ in range(STEPS * BATCH)]
               for _ in range(2 + case["negatives"])]
    return columns, [[chance.randrange(-32, 33) / 8 for _ in columns[1:]] for _ in columns[0]]


def stable_steps(folder, case):
    """A salt, and its steps before rounding decides which token has the largest logit of a word: if not all, the most of
    some salts."""
    best = 0, []
    for salt in range(8):
        steps, moved = (list(expected_steps(folder, case, salt, noise)) for noise in (0, 2e-6))
        same = [all(abs(a[key] - b[key]) <= 1e-4 * max(1, abs(a[key])) for key in a) for a, b in zip(steps, moved)]
        stable = same.index(False) if False in same else STEPS
        best = max(best, (salt, steps[:stable]), key=lambda found: len(found[1]))
        if stable == STEPS:
            break
    if len(best[1]) < STEPS // 4:
        sys.exit(f"{folder}, {case}: only {len(best[1])} steps do not depend on rounding")
    return best


def expected_steps(folder, case, salt, noise):
    columns, scores = texts_of(case, salt)
    pooling, activation = WAYS[case["way"]]
    encoder = without_dropout(SparseEncoder(modules=[Transformer(folder, transformer_task="fill-mask"), SpladePooling(pooling, activation)],
                                            device="cpu").double().train())
    numbers = torch.Generator().manual_seed(SEED)
    for parameter in encoder.parameters():
        parameter.data *= 1 + noise * torch.randn(parameter.shape, generator=numbers, dtype=torch.float64)
    base = {"ranking": lambda: losses.SparseMultipleNegativesRankingLoss(encoder, scale=case.get("scale", 1)),
            "margin-mse": lambda: losses.SparseMarginMSELoss(encoder),
            "kl": lambda: losses.SparseDistillKLDivLoss(encoder, temperature=case["temperature"])}[case["loss"]]()
    loss = losses.SpladeLoss(encoder, base, document_regularizer_weight=case["flops"][0], query_regularizer_weight=case["flops"][1])
    groups = [{"params": [], "weight_decay": decay} for decay in (DECAY, 0)]
    for name, parameter in encoder.named_parameters():
        groups["norm" in name.lower() or "bias" in name]["params"].append(parameter)
    optimizer = torch.optim.AdamW(groups, lr=RATE)
    for first in range(0, STEPS * BATCH, BATCH):
        features = [encoder.preprocess(texts[first:first + BATCH]) for texts in columns]
        labels = torch.tensor(scores[first:first + BATCH], dtype=torch.float64)
        value = sum(loss(features, labels[:, :1] - labels[:, 1:] if case["loss"] == "margin-mse" else labels).values())
        optimizer.zero_grad()
        value.backward()
        norm = sum(p.grad.square().sum() for group in groups for p in group["params"] if p.grad is not None).sqrt()
        yield {"loss": value.item(), "gradient_norm": norm.item()}
        optimizer.step()


def train(tools, folder, name, case):
    salt, steps = stable_steps(folder, case)
    columns, scores = texts_of(case, salt)
    records = "".join(json.dumps({"text": text, "text_pair": pair, "negatives": negatives, "scores": of_record}) + "\n"
                      for (text, pair, *negatives), of_record in zip(zip(*columns), scores)).encode()
    options = [option for key in ("scale", "temperature") if key in case for option in ("--" + key, str(case[key]))]
    with tempfile.TemporaryDirectory() as out:
        lines = subprocess.run(
            [os.path.join(tools, "bert-train"), "-q", "--task", "embed", "-m", folder, "-o", os.path.join(out, "model"),
             "--sparse", case["way"], "--flops", ",".join(map(str, case["flops"])), "--loss", case["loss"], "--no-shuffle",
             "--dropout", "0", "--log-every", "1", "--batch-size", str(BATCH), "--warmup", "0", "--schedule", "constant",
             "--weight-decay", str(DECAY), "--clip", "0", "--seed", str(SEED), "--lr", str(RATE), *options],
            input=records, check=True, stdout=subprocess.PIPE).stdout.splitlines()
        encoder = SparseEncoder(os.path.join(out, "model"), device="cpu").double().eval()
        texts = ["the king was in the castle", "snow"]
        wanted = [dict(pairs) for pairs in encoder.decode(encoder.encode(texts, convert_to_sparse_tensor=True))]
        found = subprocess.run([os.path.join(tools, "bert-embed"), "-q", "-m", os.path.join(out, "model"), "--sparse", "model"],
                               input="\n".join(texts).encode(), check=True, stdout=subprocess.PIPE).stdout.splitlines()
        for line, expected in zip(found, wanted, strict=True):
            weights = json.loads(line)["sparse"]
            if max(abs(weights.get(token, 0) - expected.get(token, 0)) for token in {*weights, *expected}) > MOST:
                sys.exit(f"{name}, {case}: the trained model gives other weights")
    for step, (line, expected) in enumerate(zip(lines, steps), 1):
        ours = json.loads(line)
        for key, value in expected.items():
            if not abs(ours[key] - value) <= MOST * max(1, abs(value)):
                sys.exit(f"{name}, {case}, step {step}: {key} is {ours[key]}, expected {value}")
    return len(steps)


def main():
    tools, worst, count, steps = sys.argv[1], 0.0, 0, 0
    for name in sorted(os.listdir(MODELS)):
        folder = os.path.join(MODELS, name)
        with open(os.path.join(folder, "expected.jsonl"), encoding="utf-8") as file:
            texts = [record["text"] for record in map(json.loads, file) if "text_pair" not in record]
        for way, (pooling, activation) in WAYS.items():
            encoder = SparseEncoder(modules=[Transformer(folder, transformer_task="fill-mask"), SpladePooling(pooling, activation)], device="cpu")
            wanted = [dict(pairs) for pairs in encoder.double().decode(encoder.encode(texts, convert_to_sparse_tensor=True))]
            texts_json = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()

            def embed(model, kind):
                return subprocess.run([os.path.join(tools, "bert-embed"), "-q", "-m", model, "--sparse", kind],
                                      input=texts_json, check=True, stdout=subprocess.PIPE).stdout.splitlines()
            lines = embed(folder, way)
            with tempfile.TemporaryDirectory() as saved:  # the directory says how
                encoder.float().save_pretrained(saved)
                if embed(saved, "model") != lines:
                    sys.exit(f"{name}, {way}: other weights by --sparse model")
            for text, expected, line in zip(texts, wanted, lines, strict=True):
                found = json.loads(line)["sparse"]
                error = max(abs(found.get(token, 0) - expected.get(token, 0)) for token in {*found, *expected})
                worst, count = max(worst, error), count + 1
                if error > 1e-5:
                    sys.exit(f"{name}, {way}, {text!r}: off by {error}")
                if list(found.values()) != sorted(found.values(), reverse=True):
                    sys.exit(f"{name}, {way}, {text!r}: not in order")
        for case in TRAINED:
            steps += train(tools, folder, name, case)
    print(f"{count} texts, largest difference {worst:.2g}; {steps} steps")


if __name__ == "__main__":
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    main()
