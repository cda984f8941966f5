#!/usr/bin/python3
"""Checks bf16 and int8 with the models of tests/golden/types, of all types and of sizes that fill no block: vectors are close
to those of f32, and have the same bytes one by one on one thread.

    check_dtypes.py TOOLS

The models have no vocabulary; they get one of made-up words, and texts are token ids. Needs numpy.
"""
import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is absent")
    sys.exit(77)

TYPES = Path(__file__).resolve().parent / "types"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LENGTHS = (1, 2, 3, 7, 15, 16, 17, 33, 50, 64, 65, 97, 120)
MOST = {"bf16": 0.002, "int8": 0.02}  # 1 - cosine with f32
EACH = ("-j", 1, "--batch-tokens", 1)


def make_model(source, folder):
    """A copy with a vocabulary; returns the config."""
    folder.mkdir()
    for file in ("config.json", "model.safetensors"):
        shutil.copy(source / file, folder)
    config = json.loads((folder / "config.json").read_text())
    words = SPECIAL + [f"word{i}" for i in range(config["vocab_size"])]
    (folder / "vocab.txt").write_text("".join(word + "\n" for word in words[:config["vocab_size"]]))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    return config


def vectors(tool, model, records, *options):
    run = subprocess.run([tool, "-q", "-m", model, "--pooling", "mean", *map(str, options)], input=records.encode(),
                         capture_output=True, check=True)
    return np.array([json.loads(line)["embedding"] for line in run.stdout.splitlines()])


def check(tool, model, config, dtypes):
    generator = random.Random(model.name)
    longest = min(config.get("max_position_embeddings") or 128, 128) - 4
    records = "".join(json.dumps({"input_ids": [generator.randrange(len(SPECIAL), min(config["vocab_size"], 90))
                                                for _ in range(length)]}) + "\n" for length in LENGTHS if length <= longest)
    exact = vectors(tool, model, records, "--dtype", "f32")
    for dtype in dtypes:
        found = vectors(tool, model, records, "--dtype", dtype)
        cosine = (exact * found).sum(1) / np.linalg.norm(exact, axis=1) / np.linalg.norm(found, axis=1)
        if not cosine.min() >= 1 - MOST[dtype]:
            yield f"{model.name}, {dtype}: cosine {cosine.min():.4f} with f32, text {cosine.argmin()}"
        if not np.array_equal(found, vectors(tool, model, records, "--dtype", dtype, *EACH)):
            yield f"{model.name}, {dtype}: other vectors in batches of one"


def main():
    tool = Path(sys.argv[1]) / "bert-embed"
    dtypes = [dtype for dtype in MOST
              if subprocess.run([tool, "--dtype", dtype, "/dev/null"], capture_output=True).returncode == 0]
    sources = sorted(path.parent for path in TYPES.glob("*/config.json"))
    assert len(sources) > 100, f"{TYPES} has {len(sources)} models"
    with tempfile.TemporaryDirectory() as folder:
        problems = []
        for source in sources:
            model = Path(folder) / source.name
            problems += check(tool, model, make_model(source, model), dtypes)
            shutil.rmtree(model)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(sources)} models in {', '.join(dtypes)}: {len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
