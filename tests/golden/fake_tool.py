#!/usr/bin/python3
"""bert-embed and bert-predict from the float32 reference, correct or with one fault.

usage: fake_tool.py bert-embed|bert-predict FAULT [the tool's options]

FAULT: "none"; "hidden", "pooled" or "head": one vector or logit of the last record has an error of 1e-4,
relative to its length; "nan"; "missing": the last record is left out. Used only to test check_large.py.
"""
import argparse
import json
import math
import sys

import numpy as np
import torch

from bert_reference import Bert

FAULT_SIZE = 1e-4


def spoil(vector):
    """Adds an error of FAULT_SIZE times the length to the first number."""
    vector = vector.clone()
    vector[0] += FAULT_SIZE * vector.norm()
    return vector


def floats(vector):
    """Shortest decimals that parse back to the same f32."""
    return [float(str(number)) for number in vector.numpy().astype(np.float32)]


def embed(model, record, states, options, fault):
    if options.pooling == "none":
        layers = [states[int(layer)] for layer in options.layers.split(",")]
        rows = torch.cat(layers, 1)
        if fault == "hidden":
            rows[-1] = torch.cat([*(layer[-1] for layer in layers[:-1]), spoil(layers[-1][-1])])
        if fault == "nan":
            rows[0, 0] = math.nan
        return record | {"tokens": [], "embeddings": [floats(row) for row in rows]}
    vector = {"cls": states[-1][0], "mean": states[-1].mean(0), "pooler": model.pooled(states[-1])[0]}[options.pooling]
    return record | {"embedding": floats(spoil(vector) if fault == "pooled" else vector)}


def spoil_logits(logits, weight, rows, column):
    logits[-1, column] += FAULT_SIZE * weight[column].norm() * rows[-1].norm()


def fill(model, record, states, options, fault):
    places = [place for place, token in enumerate(record["input_ids"]) if token == 4]
    if not places:
        return record | {"prediction": [], "candidates": []}
    rows = model.mlm_transform(states[-1][places])
    logits = model.mlm_logits(rows)
    if fault == "head":
        spoil_logits(logits, model.mlm_decoder()[0], rows, int(logits[-1].argmax()))
    scores, ids = torch.softmax(logits, 1).sort(1, descending=True)
    candidates = [[{"token": "", "id": int(number), "score": score} for score, number in zip(floats(best), found)]
                  for best, found in zip(scores[:, : options.top_k], ids[:, : options.top_k])]
    return record | {"prediction": [""] * len(places), "candidates": candidates}


def predict(model, record, states, options, fault):
    if options.task == "fill":
        return fill(model, record, states, options, fault)
    name = "cls.seq_relationship" if options.task == "next" else "classifier"
    pooled = model.pooled(states[-1])
    logits = model.linear(name, pooled)
    if fault == "head":
        spoil_logits(logits, model.weights[name + ".weight"], pooled, 0)
    if options.task == "regress":
        return record | {"prediction": floats(logits[0])[0]}
    names = ["is_next", "not_next"] if options.task == "next" else list(model.config["id2label"].values())
    scores = floats(torch.softmax(logits, 1)[0])
    return record | {"prediction": names[scores.index(max(scores))], "scores": dict(zip(names, scores))}


def parse(arguments):
    parser = argparse.ArgumentParser()
    for option in ("-m", "--input-format", "--pooling", "--layers", "--combine", "--task"):
        parser.add_argument(option)
    parser.add_argument("--top-k", type=int)
    return parser.parse_args(arguments)


def run(tool, fault, arguments, lines):
    """The tool's output for these input lines."""
    options = parse(arguments)
    model = Bert.load(options.m, torch.float32)
    answer = embed if tool == "bert-embed" else predict
    for number, line in enumerate(lines):
        last = number == len(lines) - 1
        if last and fault == "missing":
            return
        record = json.loads(line)
        states = model.hidden_states(record["input_ids"], record["token_type_ids"])
        yield json.dumps(answer(model, record, states, options, fault if last else "none")) + "\n"


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    sys.stdout.writelines(run(sys.argv[1], sys.argv[2], sys.argv[3:], sys.stdin.readlines()))
