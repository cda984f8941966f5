#!/usr/bin/python3
"""Prints what models without pre-training, on bags of words, get on the tasks of tasks.py: a table (Markdown).

    /usr/bin/python3 tests/bench/baselines.py BUILD_DIR DATA_DIR [--tasks sst2,...] [--examples 5000] [--work DIR]

Training and dev data are those of tasks.py, the metrics those of bert-score. Needs Debian's python3-sklearn.

sst2, cola   TF-IDF of words and word pairs, logistic regression
mrpc, rte, qnli
             seven measures of word overlap between the two texts, logistic regression
stsb         the same measures, ridge regression
conll        words, suffixes and shapes of the token and its two neighbours on each side, logistic regression
squad        the window of words nearest to the words of the question (TF-IDF), no training
openbookqa   word overlap of question and choice, and the words of the choice, logistic regression
vectors      STS-B without training: cosine of TF-IDF vectors; beside it cosine of bert-embed's vectors (-m)
"""
import argparse
import csv
import json
import math
import re
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bench import row, table
from tasks import TASKS, parts

warnings.filterwarnings("ignore", category=UserWarning)
WORD = re.compile(r"\w+|[^\w\s]")


def words_of(text):
    return WORD.findall(text.lower())


class Overlap:
    """Measures of word overlap between two texts, with document frequencies from the training data."""

    def __init__(self, texts):
        self.words = TfidfVectorizer(analyzer=words_of, sublinear_tf=True).fit(texts)
        self.characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), sublinear_tf=True).fit(texts)

    def measures(self, first, second):
        cosines = [np.asarray(kind.transform(first).multiply(kind.transform(second)).sum(axis=1))
                   for kind in (self.words, self.characters)]
        rows = []
        for a, b in zip(first, second):
            a, b = words_of(a), words_of(b)
            common = sum((Counter(a) & Counter(b)).values())
            pairs = len(set(zip(a, a[1:])) & set(zip(b, b[1:])))
            rows.append([common / max(1, len(a)), common / max(1, len(b)), common / max(1, len(a) + len(b) - common),
                         pairs / max(1, min(len(a), len(b)) - 1), abs(math.log((len(a) + 1) / (len(b) + 1)))])
        return np.hstack([*cosines, np.array(rows)])


def shape(word):
    return re.sub(r"(.)\1+", r"\1+", re.sub(r"\d", "0", re.sub(r"[^\W\d_]", lambda c: "X" if c[0].isupper() else "x", word)))


def token_features(words, i):
    features = {"bias": 1}
    for offset in range(-2, 3):
        word = words[i + offset] if 0 <= i + offset < len(words) else "<end>"
        features |= {f"{offset} word {word.lower()}": 1, f"{offset} shape {shape(word)}": 1}
    word = words[i]
    for length in range(1, 5):
        features |= {f"prefix {word[:length]}": 1, f"suffix {word[-length:]}": 1}
    return features


class Baselines:
    def __init__(self, options):
        self.options, self.work = options, Path(options.work)
        self.tools = Path(options.build).resolve() / "cmd"
        self.work.mkdir(parents=True, exist_ok=True)

    def file(self, name, part):
        return self.work / f"{name}.{part}.{TASKS[name].suffix}"

    def prepare(self, name):
        for part, (text, _) in parts(name, self.options.data, self.options.examples).items():
            self.file(name, part).write_text(text, encoding="utf-8")

    def columns(self, name, part, *wanted):
        """The wanted columns of a TSV file, each as a list."""
        read = dict(zip(TASKS[name].read[::2], TASKS[name].read[1::2]))
        fields = read["--columns"].split(",") if "--columns" in read else None
        with open(self.file(name, part), encoding="utf-8-sig", newline="") as file:
            records = list(csv.DictReader(file, fields, delimiter="\t", quoting=csv.QUOTE_NONE))
        return [[record[column] for record in records] for column in wanted]

    def score(self, name, records):
        """The metric of bert-score for records with prediction and gold."""
        task = TASKS[name]
        gold = ["--gold", self.file(name, "dev")] if name == "squad" else []
        out = subprocess.run([self.tools / "bert-score", "-q", "--metric", task.benchmark, *gold, "--input-format", "jsonl"],
                             input="".join(json.dumps(record) + "\n" for record in records).encode(), check=True,
                             stdout=subprocess.PIPE).stdout
        return task.figure(json.loads(out))

    def labelled(self, name, predictions, gold):
        return self.score(name, [{"prediction": p, "label": g} for p, g in zip(predictions, gold)])

    def text(self, name):
        texts, labels = self.columns(name, "train", "sentence", "label")
        dev, gold = self.columns(name, "dev", "sentence", "label")
        model = make_pipeline(TfidfVectorizer(analyzer="word", token_pattern=WORD.pattern, ngram_range=(1, 2), sublinear_tf=True),
                              LogisticRegression(C=10, max_iter=1000)).fit(texts, labels)
        return self.labelled(name, model.predict(dev).tolist(), gold)

    def pairs(self, name, first, second, label):
        a, b, labels = self.columns(name, "train", first, second, label)
        dev_a, dev_b, gold = self.columns(name, "dev", first, second, label)
        overlap = Overlap(a + b)
        features, dev = overlap.measures(a, b), overlap.measures(dev_a, dev_b)
        if name == "stsb":
            model = make_pipeline(StandardScaler(), Ridge()).fit(features, [float(value) for value in labels])
            return self.labelled(name, model.predict(dev).tolist(), [float(value) for value in gold])
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(features, labels)
        return self.labelled(name, model.predict(dev).tolist(), gold)

    def sentences(self, part):
        for block in self.file("conll", part).read_text(encoding="utf-8").strip("\n").split("\n\n"):
            lines = [line.split() for line in block.split("\n")]
            yield [line[0] for line in lines], [line[-1] for line in lines]

    def conll(self):
        train, dev = list(self.sentences("train")), list(self.sentences("dev"))
        vectorizer = DictVectorizer()
        features = vectorizer.fit_transform(token_features(words, i) for words, _ in train for i in range(len(words)))
        model = LogisticRegression(C=3, solver="saga", tol=1e-2, max_iter=60).fit(features, [tag for _, tags in train for tag in tags])
        records = []
        for words, tags in dev:
            found = model.predict(vectorizer.transform(token_features(words, i) for i in range(len(words))))
            records.append({"words": words, "tags": tags, "prediction": found.tolist()})
        return self.score("conll", records)

    def squad(self):
        data = json.loads(self.file("squad", "dev").read_text(encoding="utf-8"))["data"]
        paragraphs = [paragraph for article in data for paragraph in article["paragraphs"]]
        idf = TfidfVectorizer(analyzer=words_of).fit([paragraph["context"] for paragraph in paragraphs])
        weights = {word: idf.idf_[i] for word, i in idf.vocabulary_.items()}
        records = []
        for paragraph in paragraphs:
            context = paragraph["context"]
            found = list(WORD.finditer(context))
            lowered = [match[0].lower() for match in found]
            for question in paragraph["qas"]:
                asked = set(words_of(question["question"]))
                # Weight of the question's words around each place, decreasing with distance.
                hits = np.array([weights.get(word, 0) if word in asked else 0 for word in lowered])
                kernel = 1 / (1 + np.abs(np.arange(-15, 16)))
                near = np.convolve(hits, kernel)[15:15 + len(hits)]
                best = (-1.0, 0, 0)
                for begin in range(len(lowered)):
                    value = 0.0
                    for end in range(begin, min(begin + 5, len(lowered))):
                        if lowered[end] in asked or not lowered[end][0].isalnum():
                            break
                        value += near[end] * weights.get(lowered[end], 0)
                        best = max(best, (value / math.sqrt(end - begin + 1), begin, end))
                records.append({"id": question["id"], "prediction": context[found[best[1]].start():found[best[2]].end()]})
        return self.score("squad", records)

    def openbookqa(self):
        def read(part):
            return [json.loads(line) for line in self.file("openbookqa", part).read_text(encoding="utf-8").splitlines()]

        def flat(records):
            return ([record["text"] for record in records for _ in record["choices"]],
                    [choice for record in records for choice in record["choices"]])
        train, dev = read("train"), read("dev")
        questions, choices = flat(train)
        overlap = Overlap(questions + choices)
        words = TfidfVectorizer(analyzer=words_of, sublinear_tf=True).fit(choices)
        from scipy.sparse import csr_matrix, hstack

        def features(first, second):
            return hstack([csr_matrix(overlap.measures(first, second)), words.transform(second)]).tocsr()
        labels = [i == record["label"] for record in train for i in range(len(record["choices"]))]
        model = LogisticRegression(max_iter=1000).fit(features(questions, choices), labels)
        scores = iter(model.decision_function(features(*flat(dev))))
        records = []
        for record in dev:
            values = [next(scores) for _ in record["choices"]]
            records.append({"prediction": int(np.argmax(values)), "label": record["label"]})
        return self.score("openbookqa", records)

    def vectors(self):
        """Cosine similarity of STS-B's pairs without training, by TF-IDF and by bert-embed."""
        a, b = self.columns("stsb", "train", "sentence1", "sentence2")
        dev_a, dev_b, gold = self.columns("stsb", "dev", "sentence1", "sentence2", "score")
        gold = [float(value) for value in gold]
        tfidf = TfidfVectorizer(analyzer=words_of, sublinear_tf=True).fit(a + b)
        cosines = np.asarray(tfidf.transform(dev_a).multiply(tfidf.transform(dev_b)).sum(axis=1)).ravel()
        lines = "".join(" ".join(text.split()) + "\n" for text in dev_a + dev_b)
        model = ["-m", self.options.model] if self.options.model else []
        raw = subprocess.run([self.tools / "bert-embed", "-q", *model, "--format", "f32", "--normalize", "--input-format", "text"],
                             input=lines.encode(), check=True, stdout=subprocess.PIPE).stdout
        rows = np.frombuffer(raw, "<f4").reshape(2, len(dev_a), -1)
        ours = (rows[0] * rows[1]).sum(axis=1)
        return [self.labelled("stsb", values.tolist(), gold) for values in (cosines, ours)]

    def figure(self, name):
        if name in ("sst2", "cola"):
            return self.text(name)
        if name in ("mrpc", "stsb", "rte", "qnli"):
            columns = {"mrpc": ("#1 String", "#2 String", "Quality"), "stsb": ("sentence1", "sentence2", "score"),
                       "rte": ("sentence1", "sentence2", "label"), "qnli": ("question", "sentence", "label")}
            return self.pairs(name, *columns[name])
        return {"conll": self.conll, "squad": self.squad, "openbookqa": self.openbookqa}[name]()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("data")
    parser.add_argument("-m", "--model", help="for the row of vectors (default: the default model)")
    parser.add_argument("--tasks", default=",".join([*TASKS, "vectors"]))
    parser.add_argument("--examples", type=int, default=5000)
    parser.add_argument("--work", default="/tmp/bert-baselines")
    options = parser.parse_args()
    baselines = Baselines(options)
    table("task, metric", "bag of words", "bert-embed")
    for name in options.tasks.split(","):
        baselines.prepare("stsb" if name == "vectors" else name)
        if name == "vectors":
            words, vectors = baselines.vectors()
            row("STS-B without training, Pearson and Spearman of cosines", f"{words:.1f}", f"{vectors:.1f}")
        else:
            row(f"{TASKS[name].title}, {TASKS[name].name}", f"{baselines.figure(name):.1f}", "")


if __name__ == "__main__":
    main()
