#!/usr/bin/env python3
"""Compares bert-score with scikit-learn, seqeval and SciPy on random records, and on tasks if there are any.

usage: check_sklearn.py DIRECTORY_OF_THE_TOOLS [CASES [TASKS]]     (needs scikit-learn, scipy and seqeval; uses conlleval)

TASKS is a directory with conll2003/eng.testa and glue/SST-2/dev.tsv, for whose gold labels predictions are drawn.
All values must agree to 1e-12.
"""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    import scipy.optimize
    import scipy.special
    import scipy.stats
    import seqeval.metrics
    import seqeval.scheme
    from sklearn import metrics
    from sklearn.preprocessing import MultiLabelBinarizer
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

try:
    import conlleval
except ImportError:
    conlleval = None

warnings.filterwarnings("ignore")
TOLERANCE = 1e-12


class Checker:
    def __init__(self, tools, directory):
        self.tool = os.path.join(tools, "bert-score")
        self.directory = directory
        self.compared = self.failures = 0
        self.largest = 0.0

    def rows(self, options, records):
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        run = subprocess.run([self.tool, "-q", *options], input=text, capture_output=True, encoding="utf-8", check=False,
                             cwd=self.directory)
        if run.returncode != 0:
            raise AssertionError(run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def same(self, got, expected):
        if isinstance(expected, dict):
            return isinstance(got, dict) and got.keys() == expected.keys() and all(
                self.same(got[key], expected[key]) for key in expected)
        if isinstance(expected, (list, tuple)):
            return isinstance(got, list) and len(got) == len(expected) and all(map(self.same, got, expected))
        if isinstance(expected, (float, np.floating)):
            if not math.isfinite(expected) or got is None:
                return got is None and not math.isfinite(expected)
            difference = abs(got - expected)
            self.largest = max(self.largest, difference)
            return difference <= TOLERANCE
        return got == expected

    def expect(self, expected, options, records):
        """`expected`: all rows, or some members of a single one."""
        try:
            got = self.rows(options, records)
            if isinstance(expected, dict):
                got = {key: got[0].get(key, "missing") for key in expected}
        except AssertionError as error:
            got = str(error)
        self.compare(got, expected, options, records)

    def compare(self, got, expected, options, records):
        self.compared += 1
        if self.same(got, expected):
            return
        self.failures += 1
        print(f"FAILED: bert-score {' '.join(options)}\nexpected {expected}\ngot      {got}\nof {records[:40]}")


def report_rows(report):
    """Rows as bert-score writes them, from the dictionary of classification_report."""
    rows = []
    for label, row in report.items():
        if label == "accuracy":
            rows.append({"label": label, "f1": row, "support": int(report["macro avg"]["support"])})
        else:
            rows.append({"label": label, "precision": row["precision"], "recall": row["recall"], "f1": row["f1-score"],
                         "support": int(row["support"])})
    return rows


def random_labels(rng, names):
    gold = [rng.choice(names[:rng.randrange(1, len(names) + 1)]) for _ in range(rng.randrange(1, 40))]
    return gold, [g if rng.random() < 0.6 else rng.choice(names) for g in gold]


def matrix_rows(gold, predicted):
    labels = sorted(set(gold + predicted))
    return [{"gold": label, **dict(zip(labels, map(int, row)))}
            for label, row in zip(labels, metrics.confusion_matrix(gold, predicted, labels=labels))]


def check_labels(check, rng):
    gold, predicted = random_labels(rng, ["bad", "fine", "good", "Good", "übel"][:rng.randrange(1, 6)])
    records = [{"label": g, "prediction": p} for g, p in zip(gold, predicted)]
    report = metrics.classification_report(gold, predicted, output_dict=True, zero_division=0)
    check.expect(report_rows(report), ["--task", "classify", "--report"], records)
    check.expect(matrix_rows(gold, predicted), ["--task", "classify", "--confusion"], records)


def check_sets(check, rng):
    names = "abcde"[:rng.randrange(1, 6)]
    pick = lambda: [label for label in names if rng.random() < 0.4]
    gold = [pick() for _ in range(rng.randrange(1, 30))]
    predicted = [g if rng.random() < 0.5 else pick() for g in gold]
    binarizer = MultiLabelBinarizer().fit(gold + predicted)
    if len(binarizer.classes_) < 2:  # one column is not a multilabel task in scikit-learn
        return
    report = metrics.classification_report(binarizer.transform(gold), binarizer.transform(predicted), output_dict=True,
                                           zero_division=0, target_names=list(binarizer.classes_))
    check.expect(report_rows(report), ["--task", "multilabel", "--report"],
                 [{"label": g, "prediction": p} for g, p in zip(gold, predicted)])


def check_replaced(check, rng):
    rows = []
    for _ in range(rng.randrange(1, 9)):
        labels = [rng.choice([-100, 0, 0, 1]) for _ in range(rng.randrange(1, 12))]
        rows.append((labels, [g if rng.random() < 0.7 else 1 - g for g in labels if g != -100]))
    gold = [str(label) for labels, _ in rows for label in labels if label != -100]
    predicted = [str(label) for _, prediction in rows for label in prediction]
    if not gold:
        return
    records = [{"labels": labels, "prediction": prediction} for labels, prediction in rows]
    report = metrics.classification_report(gold, predicted, output_dict=True, zero_division=0)
    check.expect(report_rows(report), ["--task", "replaced", "--report"], records)
    check.expect(matrix_rows(gold, predicted), ["--task", "replaced", "--confusion"], records)


SCHEMES = {"iob1": "IB", "iob2": "IB", "ioe1": "IE", "ioe2": "IE", "iobes": "BIES", "bilou": "BILU"}


def as_bio(tags):
    """The tags with B- in place of each I- that starts an entity, as accuracy compares them."""
    opened = [None] + [tag[2:] if tag[0] in "BI" else None for tag in tags]
    return ["B" + tag[1:] if tag[0] == "I" and tag[2:] != before else tag for tag, before in zip(tags, opened)]


def check_matrix(check, options, records):
    """The confusion matrix of entities, whose diagonal is the accuracy."""
    gold, predicted = (sum((as_bio(record[field]) for record in records), []) for field in ("tags", "prediction"))
    check.expect(matrix_rows(gold, predicted), ["--task", "tag", "--confusion", *options], records)
    check.expect({"accuracy": metrics.accuracy_score(gold, predicted)}, ["--task", "tag", *options], records)


def check_tags(check, rng):
    scheme = rng.choice(list(SCHEMES))
    tags = ["O", "O"] + [f"{prefix}-{name}" for prefix in SCHEMES[scheme] for name in ("PER", "LOC")]
    gold = [[rng.choice(tags) for _ in range(rng.randrange(1, 12))] for _ in range(rng.randrange(1, 12))]
    gold[0][0] = SCHEMES[scheme][0] + "-PER"
    predicted = [[g if rng.random() < 0.8 else rng.choice(tags) for g in row] for row in gold]
    records = [{"tags": g, "prediction": p} for g, p in zip(gold, predicted)]
    modes = [(["--scheme", scheme], {"mode": "strict", "scheme": getattr(seqeval.scheme, scheme.upper())})]
    if scheme != "bilou":  # seqeval's default does not know L- and U-
        modes.append(([], {}))
    for options, mode in modes:
        try:
            report = seqeval.metrics.classification_report(gold, predicted, output_dict=True, zero_division=0, **mode)
        except ValueError:  # seqeval fails without any entity
            continue
        if len(report) > 3:  # with entities
            check.expect(report_rows(report), ["--task", "tag", "--report", *options], records)
    check_matrix(check, [], records)
    check_matrix(check, ["--scheme", scheme], records)


def random_spans(rng, count):
    """Entities of `count` words, some next to another of their type."""
    spans, at = [], 0
    while at < count:
        end = min(count, at + rng.choice([1, 1, 2, 3]))
        if rng.random() < 0.5:
            spans.append((rng.choice(["PER", "LOC", "X-Y"]), at, end))
        at = end
    return spans


def tags_of(spans, count, scheme):
    tags = ["O"] * count
    for i, (name, begin, end) in enumerate(spans):
        follows = i > 0 and spans[i - 1][0] == name and spans[i - 1][2] == begin
        letters = ["B" if follows or scheme != "iob1" else "I"] + ["I"] * (end - begin - 1)
        if scheme in ("iobes", "bilou"):
            letters[-1] = ("ES" if scheme == "iobes" else "LU")[end - begin == 1]
        tags[begin:end] = [f"{letter}-{name}" for letter in letters]
    return tags


def check_files(check, rng):
    """CoNLL files with the gold and the predicted tags in the last columns; in IOB also by conlleval's rules."""
    scheme = rng.choice(["iob1", "iob2", "iobes", "bilou"])
    other = "iob2" if scheme == "iob1" and rng.random() < 0.5 else scheme
    gold, predicted, lines = [], [], ["-DOCSTART- -X- O O\n", "\n"]
    for _ in range(rng.randrange(1, 9)):
        count = rng.randrange(1, 14)
        spans = random_spans(rng, count)
        found = [span for span in spans if rng.random() < 0.8] if rng.random() < 0.7 else random_spans(rng, count)
        gold.append(tags_of(spans, count, scheme))
        predicted.append(tags_of(found, count, other))
        lines += [f"w{i} NN {row[0]} {row[1]}\n" for i, row in enumerate(zip(gold[-1], predicted[-1]))] + ["\n"]
    path = os.path.join(check.directory, "tagged.conll")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)
    mode = {"mode": "strict", "scheme": seqeval.scheme.BILOU} if scheme == "bilou" else {}
    try:
        report = seqeval.metrics.classification_report(gold, predicted, output_dict=True, zero_division=0, **mode)
    except ValueError:  # without any entity
        return
    if len(report) > 3:
        check.expect(report_rows(report), ["--task", "tag", "--report", path], [])
    if conlleval is None or scheme not in ("iob1", "iob2"):
        return
    chunks = conlleval.evaluate(lines)
    ratio = lambda part, whole: part / whole if whole else 0.0
    def figures(stats):
        p, r = ratio(stats["correct"], stats["pred"]), ratio(stats["correct"], stats["gold"])
        return {"precision": p, "recall": r, "f1": ratio(2 * p * r, p + r)}
    expected = figures(chunks["overall"]["chunks"]["stats"])
    expected["types"] = {name: {**figures(row["stats"]), "gold": row["stats"]["gold"], "predicted": row["stats"]["pred"]}
                         for name, row in chunks["slots"]["chunks"].items()}
    if expected["types"]:
        check.expect(expected, ["--task", "tag", path], [])


def check_plain_tags(check, rng):
    gold = [[rng.choice(["DET", "NOUN", "VERB", "O"]) for _ in range(rng.randrange(1, 9))] for _ in range(9)]
    gold[0][0] = "X"
    predicted = [[tag if rng.random() < 0.7 else "NOUN" for tag in row] for row in gold]
    flat = sum(gold, []), sum(predicted, [])
    records = [{"tags": g, "prediction": p} for g, p in zip(gold, predicted)]
    report = metrics.classification_report(*flat, output_dict=True, zero_division=0)
    check.expect(report_rows(report), ["--task", "tag", "--report"], records)
    check.expect(matrix_rows(*flat), ["--task", "tag", "--confusion"], records)


def random_scores(rng, count, width):
    """Probabilities, with ties."""
    steps = rng.choice([4, 20, 1 << 30])
    scores = np.array([[rng.randrange(steps) + 1 for _ in range(width)] for _ in range(count)], float)
    return scores / scores.sum(axis=1, keepdims=True)


def curve_rows(kind, label, truth, score):
    if kind == "roc":
        rows = zip(("fpr", "tpr"), metrics.roc_curve(truth, score, drop_intermediate=False))
        thresholds = metrics.roc_curve(truth, score, drop_intermediate=False)[2]
    else:
        *_, thresholds = metrics.precision_recall_curve(truth, score)
        rows = zip(("precision", "recall"), metrics.precision_recall_curve(truth, score))
        thresholds = [*thresholds, math.inf]
    columns = {"threshold": thresholds, **dict(rows)}
    return [{"label": label, **{name: float(column[i]) for name, column in columns.items()}} for i in range(len(thresholds))]


def best_threshold(goal, label, truth, score):
    precision, recall, thresholds = metrics.precision_recall_curve(truth, score)
    if not truth.any():
        recall = np.zeros_like(recall)
    figures = [(t, p, r, 2 * p * r / (p + r) if p + r else 0.0) for t, p, r in zip(thresholds, precision, recall)]
    name, _, least = goal.partition("=")
    keys = {"f1": lambda row: round(row[3], 12), "precision": lambda row: (row[2], row[1]), "recall": lambda row: (row[1], row[2])}
    column = {"precision": 1, "recall": 2}.get(name, 1)
    figures = [row for row in figures if row[column] >= float(least or 0)]
    best = max(figures, key=keys[name], default=(math.nan,) * 4)  # the first of equal ones
    return {"label": label, **dict(zip(("threshold", "precision", "recall", "f1"), map(float, best)))}


def check_curves(check, rng, options, records, columns):
    """`columns`: for each label, whether it is gold, and its score."""
    kind = rng.choice(["roc", "pr"])
    rows = [row for label, column in columns.items() for row in curve_rows(kind, label, *column)]
    check.expect(rows, [*options, "--curve", kind], records)
    goal = rng.choice(["f1", f"precision={rng.randrange(11) / 10}", f"recall={rng.randrange(11) / 10}"])
    rows = [best_threshold(goal, label, *column) for label, column in columns.items()]
    check.expect(rows, [*options, "--threshold", goal], records)


def check_scores(check, rng):
    """Single labels with a score of each."""
    labels = ["bad", "fine", "good", "übel"][:rng.randrange(2, 5)]
    count = rng.randrange(1, 60)
    scores = random_scores(rng, count, len(labels))
    gold = [labels[int(row.argmax())] if rng.random() < 0.5 else rng.choice(labels) for row in scores]
    predicted = [labels[int(row.argmax())] for row in scores]
    order = rng.sample(range(len(labels)), len(labels))  # of the labels' ids
    records = [{"label": g, "prediction": p, "scores": {labels[i]: row[i] for i in order}}
               for g, p, row in zip(gold, predicted, scores)]
    encoded = np.array([labels.index(g) for g in gold])
    expected = {"log_loss": metrics.log_loss(gold, scores, labels=labels), "brier": metrics.brier_score_loss(
        gold, scores, labels=labels)}
    options = ["--task", "classify"]
    chosen = range(len(labels))
    if len(labels) == 2 or rng.random() < 0.3:
        positive = rng.choice(labels) if len(labels) > 2 or rng.random() < 0.5 else None
        options += ["--positive", positive] if positive else []
        expected["positive"] = positive or labels[order[-1]]
        chosen = [labels.index(expected["positive"])]
    columns = [(encoded == i).astype(int) for i in range(len(labels))]
    names = [labels[i] for i in (chosen if "positive" in expected else order)]
    check_curves(check, rng, options, records, {name: (columns[labels.index(name)], scores[:, labels.index(name)]) for name in names})
    expected["roc_auc"] = np.mean([metrics.roc_auc_score(columns[i], scores[:, i]) for i in chosen])
    expected["average_precision"] = np.mean([average_precision(columns[i], scores[:, i]) for i in chosen])
    if len(labels) > 2 and len(set(gold)) == len(labels) and len(chosen) > 1:
        assert abs(expected["roc_auc"] - metrics.roc_auc_score(gold, scores, multi_class="ovr")) < TOLERANCE
    if len(labels) > 2:
        k = rng.randrange(1, len(labels))
        options += ["--top-k", str(k)]
        expected[f"top_{k}_accuracy"] = metrics.top_k_accuracy_score(gold, scores, k=k, labels=labels)
    check.expect(expected, options, records)


def average_precision(truth, scores):
    """Where no record is positive, scikit-learn warns, and takes 0."""
    return metrics.average_precision_score(truth, scores) if np.any(truth) else math.nan


def check_groups(check, rng):
    """Metrics of each group, and the records with the highest losses."""
    labels = ["no", "yes"]
    count = rng.randrange(1, 60)
    scores = random_scores(rng, count, 2)
    records = [{"n": i, "label": rng.choice(labels), "prediction": labels[int(row[1] > row[0])], "scores": dict(zip(labels, row)),
                "part": rng.choice(["a", "b", "c"])} for i, row in enumerate(scores)]
    rows = []
    for part in [None, *sorted({record["part"] for record in records})]:
        of = [i for i, record in enumerate(records) if part in (None, record["part"])]
        gold, predicted = ([records[i][field] for i in of] for field in ("label", "prediction"))
        truth = [label == "yes" for label in gold]
        rows.append({"group": part, "records": len(of), "accuracy": metrics.accuracy_score(gold, predicted),
                     "f1": metrics.f1_score(gold, predicted, pos_label="yes", labels=labels, zero_division=0), "positive": "yes",
                     "log_loss": metrics.log_loss(gold, scores[of], labels=labels), "roc_auc": metrics.roc_auc_score(truth, scores[of, 1]),
                     "matthews": metrics.matthews_corrcoef(gold, predicted)})
    check.expect(rows, ["--task", "classify", "--by", "part", "--metric", "accuracy,f1,log_loss,roc_auc,matthews"], records)
    losses = [(metrics.log_loss([record["label"]], scores[i:i + 1], labels=labels), i) for i, record in enumerate(records)
              if record["label"] != record["prediction"]]
    most = rng.randrange(1, 9)
    worst = sorted(losses, key=lambda row: (-row[0], row[1]))[:most]
    check.expect([{**records[i], "gold": records[i]["label"], "loss": loss} for loss, i in worst],
                 ["--task", "classify", "--worst", str(most)], records)


class Random:
    """The numbers of lib/base/random.h: Philox4x32-10 (Salmon et al. 2011)."""

    def __init__(self, seed, *places):
        self.key, self.block, self.words = self.halves(seed), 0, []
        for depth, place in enumerate(places, 1):
            self.key = self.philox([*self.halves(place), depth, 1])[:2]

    @staticmethod
    def halves(number):
        return [number & 0xFFFFFFFF, number >> 32]

    def philox(self, counter):
        key = list(self.key)
        for _ in range(10):
            first, second = self.halves(0xD2511F53 * counter[0]), self.halves(0xCD9E8D57 * counter[2])
            counter = [second[1] ^ counter[1] ^ key[0], second[0], first[1] ^ counter[3] ^ key[1], first[0]]
            key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
        return counter

    def next(self):
        if not self.words:
            self.words = self.philox([*self.halves(self.block), 0, 0])
            self.block += 1
        return self.words.pop(0)

    def below(self, bound):
        product = self.next() * bound
        while (product & 0xFFFFFFFF) < (2**32 - bound) % bound:
            product = self.next() * bound
        return product >> 32


def label_metrics(gold, predicted, scores):
    labels = ["no", "yes"]
    columns = np.array(scores)
    return {"accuracy": metrics.accuracy_score(gold, predicted), "f1": metrics.f1_score(gold, predicted, pos_label="yes", zero_division=0,
                                                                                       labels=labels),
            "macro_f1": metrics.f1_score(gold, predicted, average="macro", zero_division=0),
            "log_loss": metrics.log_loss(gold, columns, labels=labels), "roc_auc": metrics.roc_auc_score([g == "yes" for g in gold], columns[:, 1])}


def number_metrics(gold, predicted):
    constant = len(set(gold)) == 1 or len(set(predicted)) == 1
    return {"pearson": math.nan if constant else scipy.stats.pearsonr(gold, predicted)[0],
            "spearman": math.nan if constant else scipy.stats.spearmanr(gold, predicted)[0]}


def entity_metrics(gold, predicted):
    return {name: score(gold, predicted, zero_division=0) for name, score in (
        ("precision", seqeval.metrics.precision_score), ("recall", seqeval.metrics.recall_score), ("f1", seqeval.metrics.f1_score))}


def percentiles(values):
    values = [value for value in values if math.isfinite(value)]
    return [float(x) for x in np.percentile(values, [2.5, 97.5])] if values else [math.nan] * 2


def check_samples(check, rng):
    """Bootstrap intervals, randomization tests and McNemar's test."""
    count, samples, seed = rng.randrange(2, 40), rng.randrange(1, 30), rng.randrange(5) * (1 << 33)
    task = rng.choice(["classify", "regress", "tag"])
    if task == "classify":
        compute, labels = label_metrics, ["no", "yes"]
        gold = [rng.choice(labels) for _ in range(count)]
        make = lambda: [(labels[int(row[1] > row[0])], list(row)) for row in random_scores(rng, count, 2)]
        records = lambda side: [{"label": g, "prediction": p, "scores": dict(zip(labels, row))} for g, (p, row) in zip(gold, side)]
    elif task == "regress":
        compute = number_metrics
        gold = [rng.randrange(5) for _ in range(count)]
        make = lambda: [(g + rng.randrange(4) / 3,) for g in gold]
        records = lambda side: [{"label": g, "prediction": p} for g, (p,) in zip(gold, side)]
    else:
        compute, tags = entity_metrics, ["O", "B-A", "I-A", "B-B"]
        gold = [["B-A"] + [rng.choice(tags) for _ in range(rng.randrange(9))] for _ in range(count)]
        make = lambda: [([g if rng.random() < 0.8 else rng.choice(tags) for g in row],) for row in gold]
        records = lambda side: [{"tags": g, "prediction": p} for g, (p,) in zip(gold, side)]
    first, second = make(), make()
    both = first + second
    right = [[g == p[0] for g, p in zip(gold, side)] for side in (first, second)]
    only = [sum(a and not b for a, b in zip(*pair)) for pair in (right, right[::-1])]
    expect_samples(check, lambda numbers: compute([gold[i % count] for i in numbers], *zip(*[both[i] for i in numbers])),
                   count, samples, seed, ["--task", task], records(first), records(second), only)


def expect_samples(check, values, count, samples, seed, options, records, others, only=None):
    """`values`: the metrics of some of `count` units, by their numbers; those of the others have the numbers from `count` on."""
    observed, other = values(range(count)), values(range(count, 2 * count))
    if not all(map(math.isfinite, [*observed.values(), *other.values()])):
        return
    difference = lambda numbers: [values(numbers), values([(i + count) % (2 * count) for i in numbers])]
    rows = []
    for i in range(samples):
        random_numbers = Random(seed, i)
        rows.append(difference([random_numbers.below(count) for _ in range(count)]))
    names = [re.sub(r"_at_\d+$", "_at_k", name) for name in observed]
    options = [*options, "--metric", ",".join(names), "--bootstrap", str(samples), "--seed", str(seed)]
    expected = {}
    for name, value in observed.items():
        low, high = percentiles([row[name] for row, _ in rows])
        expected.update({name: value, f"{name}_low": low, f"{name}_high": high})
    check.expect(expected, options, records)

    exchanges = []
    for i in range(samples):
        random_numbers = Random(seed, i, 1)
        exchanges.append(difference([k + count * (random_numbers.next() & 1) for k in range(count)]))
    expected = []
    for name, value in observed.items():
        low, high = percentiles([row[name] - other_row[name] for row, other_row in rows])
        as_large = sum(abs(a[name] - b[name]) >= abs(value - other[name]) - 1e-12 for a, b in exchanges)
        mcnemar = None
        if name == "accuracy" and only is not None:
            mcnemar = 1.0 if not sum(only) else scipy.stats.binomtest(only[0], sum(only)).pvalue
        expected.append({"metric": name, "value": value, "against": other[name], "difference": value - other[name], "low": low,
                         "high": high, "p": (as_large + 1) / (samples + 1), "mcnemar_p": mcnemar})
    path = os.path.join(check.directory, "other.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in others)
    check.expect(expected, [*options, "--against", path], records)


def ranking_metrics(gains, ideal, k):
    """Of the gains of the documents in their order, and of all relevant ones."""
    ideal = sorted((gain for gain in ideal if gain > 0), reverse=True)
    discounted = lambda row: sum(gain / math.log2(i + 2) for i, gain in enumerate(row))
    ranks = [i + 1 for i, gain in enumerate(gains) if gain > 0]
    names = ["mrr", "map", "ndcg", f"mrr_at_{k}", f"ndcg_at_{k}", f"precision_at_{k}", f"recall_at_{k}"]
    if not ideal:
        return dict.fromkeys(names, 0.0)
    near = sum(rank <= k for rank in ranks)
    return dict(zip(names, [1 / ranks[0] if ranks else 0.0, sum((i + 1) / rank for i, rank in enumerate(ranks)) / len(ideal),
                            discounted(gains) / discounted(ideal), 1 / ranks[0] if near else 0.0,
                            discounted(gains[:k]) / discounted(ideal[:k]), near / k, near / len(ideal)]))


def random_search(rng):
    """Judgments by query, two runs, and the metrics of both for each query, in the order of the first run."""
    documents = [f"d{i}" for i in range(rng.randrange(2, 20))]
    queries = [f"q{i}" for i in range(rng.randrange(1, 25))]
    k = rng.randrange(1, 12)
    judged = {query: {document: rng.choice([0, 0, 1, 2, 3]) for document in rng.sample(documents, rng.randrange(1, len(documents) + 1))}
              for query in queries}
    runs = []
    for _ in range(2):
        found = {query: rng.sample(documents, rng.randrange(1, len(documents) + 1)) for query in rng.sample(queries, len(queries))
                 if rng.random() < 0.9}
        runs.append(found or {queries[0]: documents})
    order = [*runs[0], *(query for query in queries if query not in runs[0])]
    values = [[ranking_metrics([judged[query].get(document, 0) for document in run.get(query, [])], judged[query].values(), k)
               for query in order] for run in runs]
    return judged, runs, values, k


def records_of_run(rng, run):
    """With scores in the order of the documents; the records of a query in any order."""
    records = []
    for query, documents in run.items():
        scores = sorted(rng.sample(range(1000), len(documents)), reverse=True)
        rows = [{"query-id": query, "corpus-id": document, "score": score / 7} for document, score in zip(documents, scores)]
        records += rng.sample(rows, len(rows))
    return records


def write_judgments(check, judged):
    path = os.path.join(check.directory, "qrels.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{query} 0 {document} {gain}\n" for query, gains in judged.items() for document, gain in gains.items())
    return path


def check_searches(check, rng):
    """Intervals and tests over the queries of a search."""
    judged, runs, values, k = random_search(rng)
    both, count = values[0] + values[1], len(values[0])
    means = lambda numbers: {name: sum(both[i][name] for i in numbers) / count for name in both[0]}
    samples, seed = rng.randrange(1, 30), rng.randrange(5) * (1 << 33)
    expect_samples(check, means, count, samples, seed,
                   ["--task", "rank", "--top-k", str(k), "--gold", write_judgments(check, judged)],
                   *(records_of_run(rng, run) for run in runs))


def check_passages(check, rng):
    """The same for records with the text of the query, the score and the label of a passage."""
    count, k = rng.randrange(1, 20), rng.randrange(1, 8)
    labels = [[rng.choice([0, 0, 1, 3]) for _ in range(rng.randrange(1, 9))] for _ in range(count)]
    sides, records = [], []
    for _ in range(2):
        scores = [rng.sample(range(100), len(row)) for row in labels]
        sides += [ranking_metrics([gain for _, gain in sorted(zip(row, gains), reverse=True)], gains, k)
                  for row, gains in zip(scores, labels)]
        records.append([{"text": f"q{i}", "label": gain, "prediction": score} for i, (row, gains) in enumerate(zip(scores, labels))
                        for score, gain in zip(row, gains)])
    means = lambda numbers: {name: sum(sides[i][name] for i in numbers) / count for name in sides[0]}
    expect_samples(check, means, count, rng.randrange(1, 30), rng.randrange(5), ["--task", "rank", "--top-k", str(k)], *records)


def check_distributions(check, rng):
    """Intervals and p-values of many samples lie near those of SciPy, which draws others."""
    queries = [f"q{i}" for i in range(120)]
    documents = [f"d{i}" for i in range(20)]
    judged = {query: dict.fromkeys(rng.sample(documents, 4), 1) for query in queries}
    blur = [{query: sorted(documents, key=lambda d: -judged[query].get(d, 0) * weight - rng.random()) for query in queries}
            for weight in (0.5, 0.45)]
    first, second = (np.array([ranking_metrics([judged[q].get(d, 0) for d in run[q]], judged[q].values(), 10)["ndcg_at_10"]
                               for q in queries]) for run in blur)
    options = ["--task", "rank", "--gold", write_judgments(check, judged), "--metric", "ndcg_at_k", "--bootstrap", "20000"]
    records, others = (records_of_run(rng, run) for run in blur)
    path = os.path.join(check.directory, "other.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in others)
    draw = {"n_resamples": 20000, "rng": np.random.default_rng(5)}
    close = lambda got, interval: all(abs(a - b) < 0.05 * (interval[1] - interval[0]) for a, b in zip(got, interval))
    interval = scipy.stats.bootstrap((first,), np.mean, method="percentile", **draw).confidence_interval
    got = check.rows(options, records)[0]
    check.compare(bool(close([got["ndcg_at_10_low"], got["ndcg_at_10_high"]], interval)), True, options, [interval, got])
    interval = scipy.stats.bootstrap((first - second,), np.mean, method="percentile", **draw).confidence_interval
    got = check.rows([*options, "--against", path], records)[0]
    check.compare(bool(close([got["low"], got["high"]], interval)), True, options, [interval, got])
    exchanged = scipy.stats.permutation_test((first, second), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples", **draw)
    check.compare(bool(abs(got["p"] - exchanged.pvalue) < 0.02), True, options, [float(exchanged.pvalue), got])


def check_scored_sets(check, rng):
    labels = "abcd"[:rng.randrange(2, 5)]
    count = rng.randrange(1, 40)
    scores = np.array([[rng.randrange(8) / 8 for _ in labels] for _ in range(count)])
    truth = np.array([[int(rng.random() < (score + 0.2) / 1.4) for score in row] for row in scores])
    pick = lambda row: [label for label, is_in in zip(labels, row) if is_in]
    records = [{"label": pick(t), "prediction": pick(row > 0.5), "scores": dict(zip(labels, row))} for t, row in zip(truth, scores)]
    precisions = [average_precision(truth[:, i], scores[:, i]) for i in range(len(labels))]
    check.expect({"roc_auc": metrics.roc_auc_score(truth, scores), "average_precision": np.mean(precisions)},
                 ["--task", "multilabel"], records)
    check_curves(check, rng, ["--task", "multilabel"], records,
                 {label: (truth[:, i], scores[:, i]) for i, label in enumerate(labels)})
    losses = [(np.mean([metrics.log_loss([t], [[1 - s, s]], labels=[0, 1]) for t, s in zip(truth[i], scores[i])]), i)
              for i, record in enumerate(records) if record["label"] != record["prediction"]]
    worst = sorted(losses, key=lambda row: (-round(row[0], 12), row[1]))[:3]
    got = check.rows(["--task", "multilabel", "--worst", "3"], records)
    check.compare([row["loss"] for row in got], [loss for loss, _ in worst], "worst", records)
    names = {label for record in records for label in record["label"] + record["prediction"]}
    report = check.rows(["--task", "multilabel", "--metric", "labels"], records)[0]["labels"]
    expected = {label: [metrics.roc_auc_score(truth[:, i], scores[:, i]), precisions[i]]
                for i, label in enumerate(labels) if label in names}
    check.compare({label: [row["roc_auc"], row["average_precision"]] for label, row in report.items()}, expected, "labels", records)


def check_calibration(check, rng):
    """The zeros of the derivatives, found by SciPy, to 1e-9; the losses there as closely as all others."""
    count, width = rng.randrange(20, 80), rng.randrange(2, 5)
    labels = "abcd"[:width]
    scores = random_scores(rng, count, width)
    truth = np.array([[rng.random() < 0.2 + 0.6 * score for score in row] for row in scores])
    gold = [int(row.argmax()) if rng.random() < 0.6 else rng.randrange(width) for row in scores]
    single = [{"label": labels[g], "prediction": labels[row.argmax()], "scores": dict(zip(labels, row))} for g, row in zip(gold, scores)]
    logs = np.log(scores)
    slope = lambda scale: np.mean((scipy.special.softmax(scale * logs, axis=1) * logs).sum(axis=1) - logs[range(count), gold])
    if slope(0) < 0 < slope(1e3):
        scale = scipy.optimize.brentq(slope, 0, 1e3, xtol=1e-15, rtol=1e-14)
        loss = lambda s: float(np.mean(scipy.special.logsumexp(s * logs, axis=1) - s * logs[range(count), gold]))
        got = check.rows(["--task", "classify", "--calibrate"], single)
        check.compare([abs(got[0].pop("scale") / scale - 1) < 1e-9, *got],
                      [True, {"label": None, "offset": 0, "log_loss": loss(1), "calibrated_log_loss": loss(scale)}], "--calibrate", single)
    sets = [{"label": [name for name, is_in in zip(labels, t) if is_in], "prediction": [], "scores": dict(zip(labels, row))}
            for t, row in zip(truth, scores)]
    for i, got in enumerate(check.rows(["--task", "multilabel", "--calibrate"], sets)):
        z, t = np.log(scores[:, i]) - np.log1p(-scores[:, i]), truth[:, i]
        target = np.where(t, (t.sum() + 1) / (t.sum() + 2), 1 / (count - t.sum() + 2))
        rest = scipy.special.expit(got["scale"] * z + got["offset"]) - target
        loss = lambda x: float(np.mean(np.logaddexp(0, x) - t * x))
        check.compare([bool(abs(rest.mean()) < 1e-12), bool(abs((rest * z).mean()) < 1e-12), got["log_loss"], got["calibrated_log_loss"]],
                      [True, True, loss(z), loss(got["scale"] * z + got["offset"])], "--calibrate", sets)


KINDS = (check_scores, check_calibration, check_groups, check_samples, check_searches, check_passages, check_scored_sets, check_labels, check_sets, check_replaced, check_tags, check_files, check_plain_tags)


def check_tasks(check, rng, directory):
    """Predictions for the gold labels of CoNLL-2003 and SST-2."""
    with open(os.path.join(directory, "conll2003/eng.testa"), encoding="utf-8") as file:
        sentences = [[line.split()[-1] for line in part.splitlines()] for part in file.read().split("\n\n") if part.strip()]
    tags = sorted({tag for sentence in sentences for tag in sentence})
    predicted = [[tag if rng.random() < 0.95 else rng.choice(tags) for tag in sentence] for sentence in sentences]
    records = [{"tags": gold, "prediction": row} for gold, row in zip(sentences, predicted)]
    report = seqeval.metrics.classification_report(sentences, predicted, output_dict=True, zero_division=0)
    check.expect(report_rows(report), ["--task", "tag", "--report"], records)
    for scheme in ("iob1", "iob2"):
        report = seqeval.metrics.classification_report(sentences, predicted, output_dict=True, zero_division=0, mode="strict",
                                                       scheme=getattr(seqeval.scheme, scheme.upper()))
        check.expect(report_rows(report), ["--task", "tag", "--report", "--scheme", scheme], records)
    check_matrix(check, [], records)
    with open(os.path.join(directory, "glue/SST-2/dev.tsv"), encoding="utf-8") as file:
        gold = [line.rstrip("\n").split("\t")[1] for line in file][1:]
    positive = np.array([min(max(rng.gauss(0.35 + 0.3 * int(label), 0.25), 0.0), 1.0) for label in gold])
    scores = np.stack([1 - positive, positive], axis=1)
    guess = [str(int(score > 0.5)) for score in positive]
    records = [{"label": g, "prediction": p, "scores": {"0": row[0], "1": row[1]}} for g, p, row in zip(gold, guess, scores)]
    truth = np.array([int(label) for label in gold])
    check.expect({"accuracy": metrics.accuracy_score(gold, guess), "f1": metrics.f1_score(gold, guess, pos_label="1"),
                  "matthews": metrics.matthews_corrcoef(gold, guess), "brier": metrics.brier_score_loss(truth, positive),
                  "log_loss": metrics.log_loss(truth, positive), "roc_auc": metrics.roc_auc_score(truth, positive),
                  "average_precision": metrics.average_precision_score(truth, positive)}, ["--task", "classify"], records)
    check.expect(report_rows(metrics.classification_report(gold, guess, output_dict=True)), ["--task", "classify", "--report"], records)
    for _ in range(8):
        check_curves(check, rng, ["--task", "classify"], records, {"1": (truth, positive)})


def main():
    tools, cases = os.path.abspath(sys.argv[1]), int((sys.argv[2:] or [2000])[0])
    rng = random.Random(5)
    with tempfile.TemporaryDirectory() as directory:
        check = Checker(tools, directory)
        if len(sys.argv) > 3:
            check_tasks(check, rng, sys.argv[3])
        check_distributions(check, rng)
        while check.compared < cases:
            for kind in KINDS:
                kind(check, rng)
    print(f"{check.compared} comparisons, {check.failures} differ; largest difference {check.largest:.2g}")
    sys.exit(check.failures != 0)


if __name__ == "__main__":
    main()
