#!/usr/bin/python3
"""Writes a BERT of one layer whose mean vectors are bags of tokens weighted by inverse document frequency (IDF).

usage: start.py MODEL OUT <BOOKS.jsonl

MODEL is a directory with the vocabulary and tokenizer files. BOOKS are as for pairs.py. Training starts from this
model: each token t has a random direction u_t and the weight w_t = IDF / highest IDF. Layer normalization makes all
token vectors equally long, so its embedding is (a, -a, w_t u_t) with a length of 1 in all, and the last normalization
of the network multiplies the first two numbers by 0. The attention and feed-forward layers add 0 at the start.
"""
import json
import shutil
import sys
from pathlib import Path

import numpy as np

from pairs import Frequencies

HIDDEN, HEADS, FEED_FORWARD, POSITIONS, SPECIALS = 256, 4, 1024, 128, 5


def embeddings(weights, rng):
    """[V, HIDDEN], rows with mean 0 and length 1."""
    directions = rng.standard_normal((len(weights), HIDDEN - 2))
    directions -= directions.mean(1, keepdims=True)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    rest = np.sqrt((1 - weights ** 2) / 2)[:, None]
    return np.hstack([rest, -rest, weights[:, None] * directions])


def tensors(weights, rng):
    def random(*shape):
        return rng.normal(0, 0.02, shape)

    named = {"embeddings.word_embeddings.weight": embeddings(weights, rng),
             "embeddings.position_embeddings.weight": np.zeros((POSITIONS, HIDDEN)),
             "embeddings.token_type_embeddings.weight": np.zeros((2, HIDDEN))}
    layer = "encoder.layer.0."
    for name in ("query", "key", "value"):
        named[f"{layer}attention.self.{name}.weight"] = random(HIDDEN, HIDDEN)
        named[f"{layer}attention.self.{name}.bias"] = np.zeros(HIDDEN)
    for name, shape, start in (("attention.output", (HIDDEN, HIDDEN), np.zeros), ("output", (HIDDEN, FEED_FORWARD), np.zeros),
                               ("intermediate", (FEED_FORWARD, HIDDEN), lambda shape: random(*shape))):
        named[f"{layer}{name}.dense.weight"] = start(shape)
        named[f"{layer}{name}.dense.bias"] = np.zeros(shape[0])
    for name in ("embeddings.", layer + "attention.output.", layer + "output."):
        named[name + "LayerNorm.weight"] = np.ones(HIDDEN)
        named[name + "LayerNorm.bias"] = np.zeros(HIDDEN)
    named[layer + "output.LayerNorm.weight"][:2] = 0
    return named


def write_safetensors(path, named):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in named.items():
        raw = array.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def main():
    model, out = map(Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    for name in ("vocab.txt", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copyfile(model / name, out / name)
    config = json.loads((model / "config.json").read_text())
    config |= {"architectures": ["BertModel"], "num_hidden_layers": 1, "max_position_embeddings": POSITIONS}
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    frequencies = Frequencies(sys.stdin)
    idf = np.array([frequencies.idf(token) for token in range(config["vocab_size"])])
    idf[:SPECIALS] = 0
    write_safetensors(out / "model.safetensors", tensors(idf / idf.max(), np.random.default_rng(1)))


if __name__ == "__main__":
    main()
