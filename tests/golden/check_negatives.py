#!/usr/bin/env python3
"""Compares bert-search --negatives with mine_hard_negatives of sentence-transformers on the same vectors, also
with texts that a CrossEncoder scores again.

usage: check_negatives.py DIRECTORY_OF_THE_TOOLS

Needs torch, datasets and sentence-transformers 6.
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
    from datasets import Dataset
    from sentence_transformers import CrossEncoder
    from sentence_transformers.util import cos_sim, mine_hard_negatives, pairwise_cos_sim
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models", "rank")
PAIRS, OTHERS, WIDTH = 60, 240, 6
# Options of bert-search, and the arguments of mine_hard_negatives. "cross_encoder" stands for the model.
CASES = [
    ([], {"range_max": 100}),
    (["--ranks", "4:9"], {"range_min": 3, "range_max": 9}),
    (["--margin", "0.2"], {"range_max": 100, "absolute_margin": 0.2}),
    (["--relative-margin", "0.25", "--ranks", "3:80"], {"range_min": 2, "range_max": 80, "relative_margin": 0.25}),
    (["--max-score", "0.6", "--ranks", "1:60"], {"range_max": 60, "max_score": 0.6}),
    (["--margin", "0.05", "--max-score", "0.7", "--ranks", "2:12"],
     {"range_min": 1, "range_max": 12, "absolute_margin": 0.05, "max_score": 0.7}),
    (["--rerank", MODEL, "--max-score", "1"], {"range_max": 100, "max_score": 1, "cross_encoder": True}),
    (["--rerank", MODEL, "--margin", "0.002", "--ranks", "1:40"],
     {"range_max": 40, "absolute_margin": 0.002, "cross_encoder": True}),
    (["--rerank", MODEL, "--relative-margin", "0.004", "--ranks", "3:50"],
     {"range_min": 2, "range_max": 50, "relative_margin": 0.004, "cross_encoder": True}),
]


def make_texts(chance, kind, count):
    with open(os.path.join(MODEL, "vocab.txt"), encoding="utf-8") as file:
        words = [word for word in file.read().split("\n") if word.isalpha()]
    return [f"{kind} {i} " + " ".join(chance.choice(words) for _ in range(1 + chance.randrange(10))) for i in range(count)]


class Known:
    """A model that knows the vectors of all texts."""
    device = "cpu"

    def __init__(self, vectors):
        self.vectors = vectors

    def encode_query(self, texts, **_):
        return numpy.stack([self.vectors[text] for text in texts])

    encode_document = encode_query

    def similarity(self, a, b):
        return cos_sim(a, b)

    def similarity_pairwise(self, a, b):
        return pairwise_cos_sim(torch.as_tensor(a), torch.as_tensor(b))


def expected(pairs, others, vectors, count, options):
    """The negatives of each text that has any."""
    found = mine_hard_negatives(Dataset.from_dict({"text": [a for a, _ in pairs], "text_pair": [b for _, b in pairs]}),
                                Known(vectors), corpus=others, num_negatives=count, verbose=False,
                                output_format="triplet", **options)
    negatives = {}
    for record in found:
        negatives.setdefault(record["text"], []).append(record["negative"])
    return negatives


def write(path, names, records, vectors):
    with open(path, "w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(dict(zip(names, record)) | {"embedding": vectors[record[0]].tolist()}) + "\n")


def main():
    tool = os.path.abspath(os.path.join(sys.argv[1], "bert-search"))
    chance, numbers = random.Random(1), numpy.random.RandomState(1)
    model = CrossEncoder(MODEL, device="cpu")
    pairs = list(zip(make_texts(chance, "query", PAIRS), make_texts(chance, "answer", PAIRS)))
    others = make_texts(chance, "text", OTHERS)
    vectors = {text: numbers.randn(WIDTH).astype("f4") for text in [a for a, _ in pairs] + others}
    for query, answer in pairs:  # near its query, and sometimes not the nearest
        vectors[answer] = (vectors[query] + chance.choice([0.3, 0.8, 2]) * numbers.randn(WIDTH)).astype("f4")
    corpus = others + [b for _, b in pairs]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        index, queries = (os.path.join(folder, name) for name in ("index.jsonl", "pairs.jsonl"))
        repeated = corpus + chance.sample(corpus, 40)  # which sentence-transformers counts once
        write(index, ("text",), [(text,) for text in repeated], vectors)
        write(queries, ("text", "text_pair"), pairs, vectors)
        for options, arguments in CASES:
            if "cross_encoder" in arguments:
                arguments["cross_encoder"] = model
            for count in (1, 5):
                command = [tool, "-q", "--index", index, "--negatives", str(count), *options, queries]
                output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
                ours = {record["text"]: record["negatives"] for record in map(json.loads, output.splitlines())}
                theirs = expected(pairs, corpus, vectors, count, arguments)
                different = sum(negatives != theirs.get(text, []) for text, negatives in ours.items())
                given = sum(map(len, ours.values()))
                print(f"{count} with {options}: {given} negatives, {different} of {len(ours)} records differ")
                wrong += different + (given == 0)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
