#!/usr/bin/env python3
"""Compares bert-embed --sparse with the SparseEncoder of sentence-transformers, for models of several types.

Usage: check_sparse.py TOOLS_DIRECTORY      (needs torch, transformers 5 and sentence-transformers 5)
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import torch
    from sentence_transformers.sparse_encoder import SparseEncoder
    from sentence_transformers.base.modules.transformer import Transformer
    from sentence_transformers.sparse_encoder.models import SpladePooling
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "type-models")
WAYS = {"max": ("max", "relu"), "sum": ("sum", "relu"), "max-log": ("max", "log1p_relu"), "sum-log": ("sum", "log1p_relu")}


def main():
    tools, worst, count = sys.argv[1], 0.0, 0
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
    print(f"{count} texts, largest difference {worst:.2g}")


if __name__ == "__main__":
    main()
