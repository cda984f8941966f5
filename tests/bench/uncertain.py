#!/usr/bin/python3
"""Prints what a model learns from records that bert-predict --uncertain picked, beside records picked at random: a table (Markdown).

    /usr/bin/python3 tests/bench/uncertain.py BUILD_DIR DATA_DIR -m MODEL [--tasks sst2,conll] [--seeds 5] [--work DIR]

The labels of a pool of training records (tasks.py) are taken in steps: first --step records at random, then as many as before,
until there are --steps times as many. In each step, a model is fine-tuned on all records that were picked so far, always with the
same number of optimizer steps, and scored on the dev set. Figures are percent, mean and standard deviation over the seeds.
"""
import argparse
import json
import random
import statistics
import subprocess
import tempfile
from pathlib import Path

from bench import row, table
from tasks import BATCH, TASKS, parts


def records(name, text):
    """The records of a task's file, numbered: JSON objects with the fields that bert-train reads."""
    if name == "conll":
        tokens = [[line.split() for line in sentence.splitlines()] for sentence in text.strip().split("\n\n")]
        rows = [{"words": [token[0] for token in sentence], "tags": [token[-1] for token in sentence]} for sentence in tokens]
    else:
        header, *lines = (line.split("\t") for line in text.splitlines())
        rows = [dict(zip(header, line)) for line in lines]
    return [{"id": place} | record for place, record in enumerate(rows)]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


class Course:
    """One way to pick records, from the same first ones and with the same seed as the other."""

    def __init__(self, options, name, seed, folder):
        self.options, self.name, self.task, self.seed, self.folder = options, name, TASKS[name], seed, Path(folder)
        texts = parts(name, options.data, options.pool)
        self.pool = records(name, texts["train"][0])
        self.dev = write(self.folder / "dev.jsonl", records(name, texts["dev"][0]))

    def tool(self, tool, *words):
        return subprocess.run([str(word) for word in (Path(self.options.build) / "cmd" / tool, "-q", *words)], check=True,
                              stdout=subprocess.PIPE, encoding="utf-8").stdout

    def learn(self, chosen):
        """A model of the records with these numbers, and its figure for the dev set."""
        train, model = write(self.folder / "train.jsonl", [self.pool[place] for place in sorted(chosen)]), self.folder / "model"
        self.tool("bert-train", "--task", self.task.kind, "-m", self.options.model, *self.task.read, *self.task.label,
                  "--steps", self.options.updates, "--batch-size", BATCH, "--lr", "1e-4", "--seed", self.seed, "--force",
                  "--out", model, train)
        predictions = self.folder / "predictions.jsonl"
        self.tool("bert-predict", "-m", model, "-o", predictions, self.dev)
        scores = json.loads(self.tool("bert-score", "--metric", self.task.benchmark, *self.task.label, predictions))
        return model, self.task.figure(scores)

    def picked(self, model, rest, count):
        """The numbers of the records among `rest` that bert-predict would have labelled next."""
        pool = write(self.folder / "pool.jsonl", [self.pool[place] for place in rest])
        lines = self.tool("bert-predict", "-m", model, "--uncertain", count, pool).splitlines()
        return [json.loads(line)["id"] for line in lines]

    def figures(self, uncertain):
        draw, step = random.Random(self.seed), self.options.step
        chosen, figures = set(draw.sample(range(len(self.pool)), step)), []
        while True:
            model, figure = self.learn(chosen)
            figures.append(figure)
            if len(figures) == self.options.steps:
                return figures
            rest = [place for place in range(len(self.pool)) if place not in chosen]
            chosen |= set(self.picked(model, rest, step) if uncertain else draw.sample(rest, step))


def cell(figures):
    return f"{statistics.mean(figures):.1f} ± {statistics.stdev(figures):.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("data")
    parser.add_argument("-m", "--model", type=Path, required=True)
    parser.add_argument("--tasks", default="sst2,conll")
    parser.add_argument("--pool", type=int, default=2000, help="number of records to pick from")
    parser.add_argument("--step", type=int, default=50, help="number of records that are labelled at a time")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--updates", type=int, default=100, help="number of optimizer steps of each training")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--work", help="directory for temporary files")
    options = parser.parse_args()
    table("", *(f"{options.step * step} labels" for step in range(1, options.steps + 1)))
    for name in options.tasks.split(","):
        for title, uncertain in (("at random", False), ("--uncertain", True)):
            courses = []
            for seed in range(options.seeds):
                with tempfile.TemporaryDirectory(dir=options.work) as folder:
                    courses.append(Course(options, name, seed, folder).figures(uncertain))
            row(f"{TASKS[name].title}, {title}", *(cell(figures) for figures in zip(*courses)))


if __name__ == "__main__":
    main()
