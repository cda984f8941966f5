#!/usr/bin/python3
"""Measures the loss of accuracy with --dtype, and prints two tables (Markdown).

    /usr/bin/python3 tests/bench/dtypes.py BUILD_DIR TEXTS MODEL... [--data DIR --start MODEL] [--work DIR]

First table: cosine similarity between the vectors that bert-embed computes in f32 and those in bf16 and int8,
mean and minimum over the first 1,000 lines of TEXTS (a file of texts or records), for each MODEL (a
directory, or NAME=DIRECTORY). Second table, with --data as in tests/bench/tasks.py: dev set metrics in each
dtype of --start fine-tuned on SST-2, CoNLL-2003 and SQuAD 1.1 (5,000 examples, 4 epochs, learning rate 3e-4).
The fine-tuned models are kept in --work (/tmp/bert-dtypes) and reused. bf16 is skipped if the processor
cannot multiply it. Needs numpy.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from bench import row, table
from tasks import TASKS

SENTENCES = 1000
LEARNED = {"sst2": 0.1, "conll": 0.1, "squad": 0}  # task -> dropout


class Bench:
    def __init__(self, options):
        self.options, self.tools = options, Path(options.build).resolve() / "cmd"
        self.work = Path(options.work)
        self.work.mkdir(parents=True, exist_ok=True)
        lines = Path(options.texts).read_bytes().splitlines(keepends=True)[:SENTENCES]
        self.count, self.texts = len(lines), self.work / ("texts" + Path(options.texts).suffix)
        self.texts.write_bytes(b"".join(lines))
        self.dtypes = [dtype for dtype in ("f32", "bf16", "int8") if self.run(
            ["bert-embed", "--dtype", dtype, "/dev/null"], check=False).returncode == 0]

    def run(self, command, check=True):
        return subprocess.run([str(self.tools / command[0]), "-q", *map(str, command[1:])], capture_output=True,
                              check=check)

    def vectors(self, model, dtype):
        out = self.run(["bert-embed", "-m", model, "--dtype", dtype, "--format", "f32", "--overflow", "truncate",
                        self.texts]).stdout
        vectors = np.frombuffer(out, "<f4").reshape(self.count, -1).astype(np.float64)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def cosines(self):
        table("cosine with f32, mean (least)", *self.dtypes[1:])
        for model in self.options.models:
            name, directory = model.split("=", 1) if "=" in model else (Path(model).name, model)
            exact = self.vectors(directory, "f32")
            cells = [(exact * self.vectors(directory, dtype)).sum(axis=1) for dtype in self.dtypes[1:]]
            row(name, *[f"{cosines.mean():.6f} ({cosines.min():.6f})" for cosines in cells])

    def prepare(self, name):
        """Files of training and dev data, and a model fine-tuned on them."""
        task, files = TASKS[name], {}
        for part, source, count in (("train", task.train, 5000), ("dev", task.dev, 2000 if name == "squad" else sys.maxsize)):
            files[part] = self.work / f"{name}.{part}.{task.suffix}"
            text, _ = task.cut((Path(self.options.data) / source).read_text(encoding="utf-8"), count)
            files[part].write_text(text, encoding="utf-8")
        learned = self.work / name
        if not (learned / "model.safetensors").exists():
            self.run(["bert-train", "--task", task.kind, "-m", self.options.start, *task.read, *task.label, "--epochs", 4,
                      "--batch-size", 16, "--lr", 3e-4, "--dropout", LEARNED[name], "--max-length", 128, "--out", learned,
                      files["train"]])
        return learned, files["dev"]

    def figure(self, name, learned, dev, dtype):
        task, answers = TASKS[name], self.work / "answers"
        self.run(["bert-predict", "-m", learned, *task.read, "--dtype", dtype, "-o", answers, dev,
                  *(["--format", "squad"] if name == "squad" else [])])
        gold = ["--input-format", "squad", "--gold", dev] if name == "squad" else ["--input-format", "jsonl"]
        scores = self.run(["bert-score", "--metric", task.benchmark, *task.label, *gold, answers]).stdout
        return task.figure(json.loads(scores))

    def scores(self):
        table("fine-tuned, development data", *self.dtypes)
        for name in LEARNED:
            found = [self.figure(name, *self.prepare(name), dtype) for dtype in self.dtypes]
            row(f"{TASKS[name].title}, {TASKS[name].name}", *[f"{figure:.2f}" for figure in found])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("texts")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--data")
    parser.add_argument("--start")
    parser.add_argument("--work", default="/tmp/bert-dtypes")
    options = parser.parse_args()
    bench = Bench(options)
    if options.models:
        bench.cosines()
    if options.data:
        bench.scores()


if __name__ == "__main__":
    main()
