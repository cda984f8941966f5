#!/usr/bin/env python3
"""Compares bert-train --baseline with scikit-learn on random texts, one set for each task.

usage: check_baselines.py DIRECTORY_OF_THE_TOOLS     (needs scikit-learn)

The linear model of the tokens is that of TfidfVectorizer and LogisticRegression or Ridge with their default settings,
but converged. Both stop near the minimum: losses must agree to 1e-4, and the metrics of predictions exactly.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from sklearn import linear_model, metrics
    from sklearn.dummy import DummyClassifier
    from sklearn.feature_extraction.text import TfidfVectorizer
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models", "bare")
LABELS = ["bad", "fine", "good", "odd"]
WORDS = "the king old queen river read ship sea storm man house wind by was a in".split()


def run(tools, *arguments, text=None):
    done = subprocess.run([os.path.join(tools, arguments[0]), *arguments[1:]], input=text, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def records(draw, count):
    """Texts whose words say something of their labels."""
    made = []
    for _ in range(count):
        words = [draw.choice(WORDS) for _ in range(draw.randint(1, 12))]
        label = LABELS[(words.count("king") + 2 * words.count("sea") + draw.randint(0, 1)) % 4]
        number = words.count("old") - 0.5 * words.count("wind") + draw.gauss(0, 0.5)
        several = [name for name, word in zip(LABELS, WORDS) if word in words or draw.random() < 0.1]
        side = "left" if label in LABELS[:2] else "right"
        made.append({"text": " ".join(words), "label": label, "side": side, "number": number, "labels": several[:3]})
    return made


def tokens(tools, folder, made):
    path = write(folder, "texts", made)
    lines = run(tools, "bert-tokenize", "-m", MODEL, "--tokens", "--keep", "tokens", path).splitlines()
    return [[t for t in json.loads(line)["tokens"] if t not in ("[CLS]", "[SEP]", "[UNK]")] for line in lines]


def write(folder, name, made):
    path = os.path.join(folder, name + ".jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in made)
    return path


def near(what, ours, theirs, tolerance):
    assert abs(ours - theirs) <= tolerance, f"{what}: {ours}, scikit-learn {theirs}"


def check(tools, folder, seed):
    draw = random.Random(seed)
    train, dev = records(draw, 400), records(draw, 150)
    paths = [write(folder, "train", train), write(folder, "dev", dev)]

    def report(task, field):
        return json.loads(run(tools, "bert-train", "--task", task, "-m", MODEL, "--label-field", field, "--check", "-q",
                              "--baseline", "--dev", paths[1], paths[0]))["baselines"]

    bag = TfidfVectorizer(analyzer=lambda text: text)
    x, y = bag.fit_transform(tokens(tools, folder, train)), bag.transform(tokens(tools, folder, dev))
    logistic = dict(tol=1e-10, max_iter=10000)

    for field in ("label", "side"):  # of four and of two labels
        ours = report("classify", field)
        gold, wanted = [r[field] for r in train], [r[field] for r in dev]
        model = linear_model.LogisticRegression(**logistic).fit(x, gold)
        constant = DummyClassifier(strategy="prior").fit(x, gold)
        for name, theirs in (("tokens", model), ("majority", constant)):
            near(name + " loss", ours[name]["loss"], metrics.log_loss(wanted, theirs.predict_proba(y)), 1e-4)
            near(name + " accuracy", ours[name]["accuracy"], metrics.accuracy_score(wanted, theirs.predict(y)), 1e-12)
            near(name + " macro_f1", ours[name]["macro_f1"],
                 metrics.f1_score(wanted, theirs.predict(y), average="macro", zero_division=0), 1e-12)

    ours = report("regress", "number")
    gold, wanted = [r["number"] for r in train], [r["number"] for r in dev]
    predicted = linear_model.Ridge(tol=1e-10).fit(x, gold).predict(y)
    near("loss", ours["tokens"]["loss"], metrics.mean_squared_error(wanted, predicted), 1e-4)
    near("pearson", ours["tokens"]["pearson"], np.corrcoef(wanted, predicted)[0, 1], 1e-4)
    near("mean", ours["mean"]["loss"], metrics.mean_squared_error(wanted, [np.mean(gold)] * len(wanted)), 1e-4)

    ours = report("multilabel", "labels")
    truth = np.array([[name in r["labels"] for name in LABELS] for r in dev])
    columns = []
    for name in LABELS:
        of_label = linear_model.LogisticRegression(**logistic).fit(x, [name in r["labels"] for r in train])
        columns.append(of_label.predict_proba(y)[:, 1])
    chances = np.array(columns).T
    near("labels loss", ours["tokens"]["loss"],
         np.mean([metrics.log_loss(truth[:, k], chances[:, k]) for k in range(len(LABELS))]), 1e-4)
    near("micro_f1", ours["tokens"]["micro_f1"],
         metrics.f1_score(truth, chances >= 0.5, average="micro", zero_division=0), 1e-12)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(5):
            check(os.path.abspath(sys.argv[1]), folder, seed)
    print("5 sets of texts: the baselines are those of scikit-learn")


if __name__ == "__main__":
    main()
