#!/usr/bin/python3
"""Fine-tunes models, perhaps also the shape of the first with random weights, and prints a table (Markdown).

    /usr/bin/python3 tests/bench/tasks.py BUILD_DIR DATA_DIR -m MODEL [-m MODEL ...] [--random] [--work DIR]
        [--tasks sst2,...] [--examples 5000] [--seeds 3] [--epochs 4] [--rates 1e-4,3e-4] [--dropouts 0,0.1] [-j 2]
        [-o FILE]

Tasks: sst2, cola, mrpc, stsb, rte, qnli, conll (CoNLL-2003), squad (1.1), openbookqa. The training data is a
fixed random sample of --examples; the dev data is complete, except for squad with 2,000 questions; for qnli,
both are parts of its dev set. DATA_DIR contains glue/SST-2 etc., conll2003, openbookqa and squad-*-v1.1.json.
Each run is bert-train, bert-predict and bert-score with one thread; -j runs are executed in parallel. Batch
size (16), epochs, length and everything else are the same for all models, except for learning rate and
dropout: for each task and model, the values of --rates and --dropouts with the best dev metric for seed 0 are
used, as in the paper (section 4.1); the rates are the higher ones that Google used for its small BERTs. For
tasks with two metrics in GLUE their mean is reported, as in GLUE. Metrics are multiplied by 100: mean and
standard deviation over the seeds, which determine the random weights and the order of the data.

Each result is a file in DIR (/tmp/bert-tasks), named by task, model, settings and seed. It is reused, so an
interrupted run can be continued, unless it was computed with other options or another model. After a change
of the tools, remove DIR.
"""
import argparse
import concurrent.futures
import hashlib
import itertools
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench import row, table

BATCH = 16
RANDOM = "random weights"

# ---- data: files in the tasks' own formats, reduced to a number of examples
# ----------------------------------------


def some(examples, count):
    """`count` random lines, in their order."""
    chosen = sorted(random.Random(0).sample(range(len(examples)), min(count, len(examples))))
    return [examples[place] for place in chosen]


def cut_lines(text, count, header=0):
    lines = text.splitlines(keepends=True)
    kept = some(lines[header:], count)
    return "".join(line.rstrip("\n") + "\n" for line in lines[:header] + kept), len(kept)


def cut_tsv(text, count):
    return cut_lines(text, count, header=1)


def halves(text):
    """Two thirds of the records of a table for training, the others for dev."""
    header, *lines = text.splitlines(keepends=True)
    random.Random(0).shuffle(lines)
    bound = 2 * len(lines) // 3
    return "".join([header, *lines[:bound]]), "".join([header, *lines[bound:]])


def cut_conll(text, count):
    sentences = [block for block in text.strip("\n").split("\n\n") if not block.startswith("-DOCSTART-")]
    kept = some([sentence.strip("\n") for sentence in sentences], count)
    return "\n\n".join(kept) + "\n", len(kept)


def cut_squad(text, count):
    """Whole paragraphs except for the last one, in random order."""
    paragraphs = [paragraph for article in json.loads(text)["data"] for paragraph in article["paragraphs"]]
    random.Random(0).shuffle(paragraphs)
    kept, found = [], 0
    for paragraph in paragraphs:
        questions = paragraph["qas"][:count - found]
        if questions:
            kept.append(paragraph | {"qas": questions})
            found += len(questions)
    return json.dumps({"version": "1.1", "data": [{"title": "", "paragraphs": kept}]}), found


def cut_openbookqa(text, count):
    text, found = cut_lines(text, count)
    records = []
    for line in text.splitlines():
        record = json.loads(line)
        choices = record["question"]["choices"]
        label = [choice["label"] for choice in choices].index(record["answerKey"])
        records.append({"text": record["question"]["stem"], "label": label,
                        "choices": [choice["text"] for choice in choices]})
    return "".join(json.dumps(record) + "\n" for record in records), found


@dataclass
class Task:
    title: str
    kind: str  # --task
    train: str
    dev: str
    cut: object
    benchmark: str  # --metric
    metrics: dict  # names in bert-score's output -> factor to percent
    name: str  # of the reported metric
    read: tuple = ()  # options of bert-train and bert-predict
    label: tuple = ()  # options of bert-train and bert-score
    suffix: str = "tsv"

    def figure(self, scores):
        return statistics.mean((scores[metric] or 0) * factor for metric, factor in self.metrics.items())


def pair(first, second):
    return "--text-field", first, "--pair-field", second


TASKS = {
    "sst2": Task("SST-2", "classify", "glue/SST-2/train.tsv", "glue/SST-2/dev.tsv", cut_tsv, "glue/sst2",
                 {"accuracy": 100}, "accuracy", ("--text-field", "sentence")),
    "cola": Task("CoLA", "classify", "glue/CoLA/train.tsv", "glue/CoLA/dev.tsv", cut_lines, "glue/cola",
                 {"matthews": 100}, "Matthews", ("--columns", "source,label,mark,sentence", "--text-field", "sentence")),
    "mrpc": Task("MRPC", "classify", "glue/MRPC/train.tsv", "glue/MRPC/dev.tsv", cut_tsv, "glue/mrpc",
                 {"accuracy": 100, "f1": 100}, "accuracy and F1", pair("#1 String", "#2 String"),
                 ("--label-field", "Quality")),
    "stsb": Task("STS-B", "regress", "glue/STS-B/train.tsv", "glue/STS-B/dev.tsv", cut_tsv, "glue/stsb",
                 {"pearson": 100, "spearman": 100}, "Pearson and Spearman", pair("sentence1", "sentence2"),
                 ("--label-field", "score")),
    "rte": Task("RTE", "classify", "glue/RTE/train.tsv", "glue/RTE/dev.tsv", cut_tsv, "glue/rte",
                {"accuracy": 100}, "accuracy", pair("sentence1", "sentence2")),
    "qnli": Task("QNLI", "classify", "glue/QNLI/dev.tsv", "glue/QNLI/dev.tsv", cut_tsv, "glue/qnli",
                 {"accuracy": 100}, "accuracy", pair("question", "sentence")),
    "conll": Task("CoNLL-2003", "tag", "conll2003/eng.train", "conll2003/eng.testa", cut_conll, "conll2003",
                  {"f1": 100}, "F1", suffix="conll"),
    "squad": Task("SQuAD 1.1", "answer", "squad-train-v1.1.json", "squad-dev-v1.1.json", cut_squad, "squad",
                  {"f1": 1}, "F1", ("--input-format", "squad"), suffix="json"),
    "openbookqa": Task("OpenBookQA", "choose", "openbookqa/train.jsonl", "openbookqa/dev.jsonl", cut_openbookqa, "swag",
                       {"accuracy": 100}, "accuracy", suffix="jsonl"),
}


def parts(name, data, examples, dev_examples=None):
    """"train" and "dev" -> the text of the file and its number of examples."""
    task = TASKS[name]
    texts = [(Path(data) / source).read_text(encoding="utf-8") for source in (task.train, task.dev)]
    if task.train == task.dev:
        texts = halves(texts[0])
    dev_count = dev_examples or (2000 if name == "squad" else sys.maxsize)
    return {part: task.cut(text, count) for part, text, count in zip(("train", "dev"), texts, (examples, dev_count))}


# ---- runs -----------------------------------------------------------------------------------------------------------


def digest(paths):
    """Checksum of the files' bytes."""
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


class Bench:
    def __init__(self, options):
        self.options, self.work = options, Path(options.work)
        self.tools = Path(options.build).resolve() / "cmd"
        self.work.mkdir(parents=True, exist_ok=True)
        self.models = {model.resolve().name: model for model in options.model}
        self.digests = {name: digest(path for path in model.iterdir() if path.suffix in (".json", ".txt", ".safetensors"))
                        for name, model in self.models.items()}
        self.shape = options.model[0]
        self.config = self.shape / "config.json"
        self.vocab = next(path for path in (self.shape / "vocab.txt", self.shape / "tokenizer.json") if path.exists())
        if options.random:
            self.digests[RANDOM] = digest([self.config, self.vocab])
        self.counts = {}

    def length(self, start):
        model = self.models.get(start, self.shape)
        length = json.loads((model / "config.json").read_text())["max_position_embeddings"]
        settings = model / "tokenizer_config.json"
        return min(length, json.loads(settings.read_text()).get("model_max_length", length)) if settings.exists() else length

    def file(self, name, part):
        return self.work / f"{name}.{part}.{TASKS[name].suffix}"

    def prepare(self, name):
        for part, (text, self.counts[name, part]) in parts(name, self.options.data, self.options.examples,
                                                           self.options.dev_examples).items():
            self.file(name, part).write_text(text, encoding="utf-8")

    def settings(self, name, start, rate, dropout, seed):
        return {"task": name, "start": start, "lr": rate, "dropout": dropout, "seed": seed, "files": self.digests[start],
                "train": digest([self.file(name, "train")]), "dev": digest([self.file(name, "dev")]),
                "epochs": self.options.epochs, "batch": BATCH, "length": self.length(start)}

    def figure(self, run):
        """The metric of a run in percent, given by task, model, rate, dropout and seed; read from its file if
        it exists."""
        settings, task = self.settings(*run), TASKS[run[0]]
        path = self.work / ("-".join(map(str, run)) + ".result.json")
        if path.exists():
            result = json.loads(path.read_text())
            if result["settings"] == settings:
                return task.figure(result["scores"])
        began = time.monotonic()
        scores = self.learn_and_score(*run)
        figure, seconds = task.figure(scores), round(time.monotonic() - began, 1)
        result = {"settings": settings, "scores": scores, "seconds": seconds}
        path.with_suffix(".new").write_text(json.dumps(result) + "\n")
        path.with_suffix(".new").rename(path)
        print(f"{run[0]} from {run[1]}, learning rate {run[2]}, dropout {run[3]}, seed {run[4]}: {figure:.2f} ({seconds} s)",
              file=sys.stderr)
        return figure

    def learn_and_score(self, name, start, rate, dropout, seed):
        task = TASKS[name]
        weights = ["--model-config", self.config, "--vocab", self.vocab] if start == RANDOM else ["-m", self.models[start]]
        length = self.length(start)
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            learned = Path(folder) / "model"
            subprocess.run([str(word) for word in [
                self.tools / "bert-train", "-q", "--task", task.kind, *weights, *task.read, *task.label, "--seed", seed,
                "--epochs", self.options.epochs, "--batch-size", BATCH, "--lr", rate, "--dropout", dropout, "--max-length",
                min(length, 384) if task.kind == "answer" else length, "-j", 1, "--save-every", 10**6,
                "--out", learned, self.file(name, "train")]], check=True, stdout=subprocess.DEVNULL)
            answers = Path(folder) / "answers"
            dev = self.file(name, "dev")
            subprocess.run([self.tools / "bert-predict", "-q", "-m", learned, *task.read, "-j", "1", "-o", answers, dev]
                           + (["--format", "squad"] if name == "squad" else []), check=True)
            gold = ["--input-format", "squad", "--gold", dev] if name == "squad" else ["--input-format", "jsonl"]
            out = subprocess.run([self.tools / "bert-score", "-q", "--metric", task.benchmark, *task.label, *gold, answers],
                                 check=True, stdout=subprocess.PIPE).stdout
            return json.loads(out)

    def figures(self, runs):
        """run -> metric, with several runs in parallel."""
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            try:
                return dict(zip(runs, pool.map(self.figure, runs)))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    # ---- the table ----------------------------------------------------------------------------------------------------

    def choose(self, names):
        """(task, model) -> its best (learning rate, dropout)."""
        settings = list(itertools.product(self.options.rates.split(","), self.options.dropouts.split(",")))
        sides = list(itertools.product(names, self.digests))
        if len(settings) == 1:
            return dict.fromkeys(sides, settings[0])
        found = self.figures([(*side, *setting, 0) for side in sides for setting in settings])
        table("seed 0, learning rate and dropout", *map(" ".join, settings))
        for side in sides:
            row(f"{TASKS[side[0]].title}, {side[1]}", *[f"{found[*side, *setting, 0]:.2f}" for setting in settings])
        return {side: max(settings, key=lambda setting: found[*side, *setting, 0]) for side in sides}

    def run(self):
        names = self.options.tasks.split(",")
        for name in names:
            if name not in TASKS:
                sys.exit(f"no task {name}; there are {', '.join(TASKS)}")
            self.prepare(name)
        chosen, seeds = self.choose(names), range(self.options.seeds)
        found = self.figures([(*side, *setting, seed) for seed in seeds for side, setting in chosen.items()])
        lines = []
        for name in names:
            cells = []
            for start in self.digests:
                figures = [found[name, start, *chosen[name, start], seed] for seed in seeds]
                spread = f" ± {statistics.stdev(figures):.1f}" if len(figures) > 1 else ""
                cells.append(f"{statistics.mean(figures):.1f}{spread} ({', '.join(chosen[name, start])})")
            lines.append([f"{TASKS[name].title}, {TASKS[name].name}", f"{self.counts[name, 'train']:,}", *cells])
        heads = ["dev figure (learning rate, dropout)", "examples", *self.digests]
        text = "".join("| " + " | ".join(line) + " |\n" for line in [heads, ["---"] * len(heads), *lines])
        print("\n" + text, end="")
        if self.options.output:
            self.options.output.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("data")
    parser.add_argument("-m", "--model", type=Path, action="append", required=True)
    parser.add_argument("--random", action="store_true", help="also the shape of the first model with random weights")
    parser.add_argument("--work", default="/tmp/bert-tasks", metavar="DIR")
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--examples", type=int, default=5000, help="number of training examples")
    parser.add_argument("--dev-examples", type=int, help="number of dev examples (default: all, 2,000 for squad)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rates", default="1e-4,3e-4", metavar="LR,...", help="learning rates to choose from")
    parser.add_argument("--dropouts", default="0,0.1", metavar="P,...", help="dropout rates to choose from")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="also write the table to FILE")
    options = parser.parse_args()
    Bench(options).run()


if __name__ == "__main__":
    main()
