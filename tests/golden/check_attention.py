#!/usr/bin/python3
"""Compares bert-embed --attention with the float64 reference, in all layers of the small models.

usage: check_attention.py DIRECTORY_OF_THE_TOOLS

The records are random ids, single texts and pairs, of one token up to the longest sequence.
"""
import json
import os
import random
import subprocess
import sys

try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

from bert_reference import Bert
from wordpiece import Tokenizer

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")
TOLERANCE = 5e-6


def records_for(bert, chance):
    longest, words, types = (bert.config[key] for key in (
        "max_position_embeddings", "vocab_size", "type_vocab_size"))
    for length in sorted({1, 2, 16, 17, min(49, longest), longest}):
        record = {"input_ids": [chance.randrange(words) for _ in range(length)]}
        if types > 1 and length > 2:
            first = chance.randrange(1, length)
            record["token_type_ids"] = [0] * first + [1] * (length - first)
        yield record


def expected(bert, record):
    """[L,A,T,T]"""
    states = bert.hidden_states(record["input_ids"], record.get("token_type_ids"))
    return torch.stack([bert.attention(f"encoder.layer.{number}.attention.self.", states[number])
                        for number in range(bert.layers)])


def embed(tools, name, layers, records):
    command = [os.path.join(tools, "bert-embed"), "-q", "-m", os.path.join(MODELS, name), "--attention",
               "--layers", ",".join(map(str, layers)), "--max-length", str(max(len(record["input_ids"]) for record in records))]
    text = "".join(json.dumps(record) + "\n" for record in records)
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_model(tools, name):
    """The largest error; exits if it is too large or the tokens are wrong."""
    bert, pieces = Bert.load(os.path.join(MODELS, name)), Tokenizer(os.path.join(MODELS, name)).pieces
    records = list(records_for(bert, random.Random(name)))
    layers = list(range(bert.layers, 0, -1))
    largest = 0
    for record, found in zip(records, embed(tools, name, layers, records), strict=True):
        if found["tokens"] != [pieces[number] for number in record["input_ids"]]:
            sys.exit(f"{name}: {record}: tokens {found['tokens']}")
        weights = torch.tensor(found["attention"], dtype=torch.float64)
        exact = expected(bert, record).flip(0)
        if weights.shape != exact.shape:
            sys.exit(f"{name}: {record}: shape {weights.shape}, expected {exact.shape}")
        if bert.causal and weights.triu(1).any():
            sys.exit(f"{name}: {record}: a token attends to a later one")
        error = float((weights - exact).abs().max())
        if not error <= TOLERANCE:
            sys.exit(f"{name}: {record}: an error of {error}, at most {TOLERANCE} is allowed")
        largest = max(largest, error)
    return largest


def main():
    torch.set_grad_enabled(False)
    names = [name for name in sorted(os.listdir(MODELS)) if os.path.exists(os.path.join(MODELS, name, "config.json"))]
    if len(names) < 2:
        sys.exit("no models to compare")
    for name in names:
        print(f"{name}: {check_model(sys.argv[1], name):.1e}")


if __name__ == "__main__":
    main()
