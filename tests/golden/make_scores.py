#!/usr/bin/python3
"""Writes scores.json: records, and their metrics computed by scikit-learn and SciPy.

usage: make_scores.py [--check]      --check: compare with the existing file, and score_reference.py with both
"""
import json
import math
import os
import random
import sys

try:
    import numpy
    import scipy
    import scipy.stats
    import sklearn
    from sklearn import metrics
    from sklearn.preprocessing import MultiLabelBinarizer
except ImportError:
    print("skipped: python3-sklearn or python3-scipy is not installed")
    sys.exit(77)

import score_reference as reference

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scores.json")


def labels_case(rng, classes):
    gold = [str(rng.randrange(classes)) for _ in range(rng.randrange(8, 16))]
    predicted = [g if rng.random() < 0.6 else str(rng.randrange(classes)) for g in gold]
    label = max(gold + predicted, key=int)
    expected = {"accuracy": metrics.accuracy_score(gold, predicted),
                "f1": metrics.f1_score(gold, predicted, labels=[label], average="macro"), "positive": label,
                "macro_f1": metrics.f1_score(gold, predicted, average="macro"),
                "matthews": metrics.matthews_corrcoef(gold, predicted)}
    own = {"accuracy": reference.accuracy(gold, predicted), "f1": reference.f1(gold, predicted, label), "positive": label,
           "macro_f1": reference.macro_f1(gold, predicted), "matthews": reference.matthews(gold, predicted)}
    records = [{"label": g, "prediction": p} for g, p in zip(gold, predicted)]
    return ["--task", "classify", "--positive", label], records, expected, own


def sets_case(rng):
    pick = lambda: [label for label in "abcd" if rng.random() < 0.4]
    gold = [pick() for _ in range(rng.randrange(5, 12))]
    predicted = [g if rng.random() < 0.4 else pick() for g in gold]
    binarizer = MultiLabelBinarizer().fit(gold + predicted)
    truth, guess = binarizer.transform(gold), binarizer.transform(predicted)
    expected = {"micro_f1": metrics.f1_score(truth, guess, average="micro"),
                "macro_f1": metrics.f1_score(truth, guess, average="macro", zero_division=0),
                "accuracy": metrics.accuracy_score(truth, guess)}
    records = [{"label": g, "prediction": p} for g, p in zip(gold, predicted)]
    return ["--task", "multilabel"], records, expected, reference.multilabel(gold, predicted)


def numbers_case(rng):
    values = rng.choice([3, 10, 1000])
    x = [rng.randrange(values) / 8 for _ in range(rng.randrange(5, 16))]
    y = [a + rng.randrange(values) / 4 for a in x]
    expected = {"pearson": scipy.stats.pearsonr(x, y)[0], "spearman": scipy.stats.spearmanr(x, y)[0]}
    own = {"pearson": reference.pearson(x, y), "spearman": reference.spearman(x, y)}
    return ["--task", "regress"], [{"label": a, "prediction": b} for a, b in zip(x, y)], expected, own


def ranks_case(rng):
    """With one relevant passage per query and no ties, the reciprocal rank is sklearn's average precision."""
    passages, total, queries = [], 0.0, 6
    for query in range(queries):
        scores = rng.sample(range(100), rng.randrange(2, 6))
        right = rng.randrange(len(scores))
        passages += [(f"q{query}", i == right, score / 10) for i, score in enumerate(scores)]
        total += metrics.label_ranking_average_precision_score([[i == right for i in range(len(scores))]], [scores])
    rng.shuffle(passages)
    expected = {"queries": queries, "mrr": total / queries}
    records = [{"text": q, "label": int(r), "prediction": s} for q, r, s in passages]
    return ["--task", "rank"], records, expected, {"queries": queries, "mrr": reference.mrr(passages)}


def differs(a, b):
    if isinstance(a, dict):
        return a.keys() != b.keys() or any(differs(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) != len(b) or any(map(differs, a, b))
    return not math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) if isinstance(a, float) else a != b


def main():
    rng = random.Random(7)
    made = [labels_case(rng, classes) for classes in (2, 2, 2, 3, 3, 5, 9)]
    made += [sets_case(rng) for _ in range(6)] + [numbers_case(rng) for _ in range(8)] + [ranks_case(rng) for _ in range(4)]
    cases, failed = [], False
    for options, records, expected, own in made:
        expected = {key: value.item() if isinstance(value, numpy.generic) else value for key, value in expected.items()}
        if differs(expected, own):
            print(f"FAILED: {options}: {expected}, score_reference.py has {own}")
            failed = True
        cases.append({"options": options, "records": records, "expected": expected})
    if sys.argv[1:] == ["--check"]:
        with open(PATH, encoding="utf-8") as file:
            if differs(cases, json.load(file)["cases"]):
                print("FAILED: scores.json is not what is made now")
                failed = True
    elif not failed:
        versions = {"scikit-learn": sklearn.__version__, "scipy": scipy.__version__, "numpy": numpy.__version__}
        with open(PATH, "w", encoding="utf-8") as file:
            file.write('{"made_with": %s,\n"cases": [\n%s\n]}\n' % (json.dumps(versions), ",\n".join(map(json.dumps, cases))))
    sys.exit(failed)


if __name__ == "__main__":
    main()
