#!/usr/bin/python3
"""Writes scores.json: records, and their metrics computed by scikit-learn, SciPy, seqeval and pytrec_eval.

usage: make_scores.py [--check]      --check: compare with the existing file, and score_reference.py with both; what
                                     only seqeval or pytrec_eval computes is not compared where it is not installed
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

try:
    import pytrec_eval
except ImportError:
    pytrec_eval = None

try:
    import seqeval
    import seqeval.metrics
    import seqeval.scheme
except ImportError:
    seqeval = None

import score_reference as reference

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scores.json")


def table_of(truth, guess, labels):
    """sklearn's classification_report in the form of bert-score."""
    figures = metrics.precision_recall_fscore_support(truth, guess, labels=range(len(labels)), zero_division=0)
    predicted = [sum(column) for column in zip(*guess)] if numpy.ndim(guess) == 2 else [list(guess).count(i) for i in range(len(labels))]
    return {label: {"precision": p, "recall": r, "f1": f, "gold": int(n), "predicted": int(m)}
            for label, p, r, f, n, m in zip(labels, *(numpy.asarray(x).tolist() for x in figures), predicted)}


def labels_case(rng, classes):
    gold = [str(rng.randrange(classes)) for _ in range(rng.randrange(8, 16))]
    predicted = [g if rng.random() < 0.6 else str(rng.randrange(classes)) for g in gold]
    label = max(gold + predicted, key=int)
    expected = {"accuracy": metrics.accuracy_score(gold, predicted),
                "f1": metrics.f1_score(gold, predicted, labels=[label], average="macro"), "positive": label,
                "macro_f1": metrics.f1_score(gold, predicted, average="macro"),
                "matthews": metrics.matthews_corrcoef(gold, predicted)}
    names = sorted(set(gold + predicted))
    expected["labels"] = table_of([names.index(g) for g in gold], [names.index(p) for p in predicted], names)
    expected.update(precision=expected["labels"][label]["precision"], recall=expected["labels"][label]["recall"])
    own = {"accuracy": reference.accuracy(gold, predicted), "f1": reference.f1(gold, predicted, label), "positive": label,
           "macro_f1": reference.macro_f1(gold, predicted), "matthews": reference.matthews(gold, predicted)}
    own["labels"] = reference.per_label(gold, predicted)
    own.update(precision=own["labels"][label]["precision"], recall=own["labels"][label]["recall"])
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
                "accuracy": metrics.accuracy_score(truth, guess),
                "labels": table_of(truth, guess, list(binarizer.classes_))}
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
    """Without ties, as scikit-learn averages over their orders."""
    k, records, values = 3, [], {"map": [], "ndcg": [], "ndcg_at_3": []}
    for query in range(rng.randrange(2, 6)):
        gains = [rng.choice([0, 0, 0, 1, 2.5]) for _ in range(rng.randrange(2, 9))] + [1]
        scores = rng.sample(range(100), len(gains))
        records += [(f"query {query}", gain, score / 8) for gain, score in zip(gains, scores)]
        values["map"].append(metrics.average_precision_score([gain > 0 for gain in gains], scores))
        values["ndcg"].append(metrics.ndcg_score([gains], [scores]))
        values["ndcg_at_3"].append(metrics.ndcg_score([gains], [scores], k=k))
    expected = {"queries": len(values["map"]), **{name: sum(v) / len(v) for name, v in values.items()}}
    own = reference.passages(records, k)
    rows = [{"text": q, "label": g, "prediction": s} for q, g, s in records]
    options = ["--task", "rank", "--metric", "map,ndcg,ndcg_at_k", "--top-k", str(k)]
    return options, rows, expected, {name: own[name] for name in expected}


def run_case(rng):
    """A run and judgments; pytrec_eval computes no reciprocal rank at k."""
    k, names = 5, [f"d{i}" for i in range(14)]
    judged = {f"q{i}": {d: rng.choice([-1, 0, 1, 1, 3]) for d in rng.sample(names, rng.randrange(1, 9))} for i in range(5)}
    ranked = {f"q{i}": {d: rng.randrange(12) / 4 for d in rng.sample(names, rng.randrange(1, 12))} for i in range(7)}
    judged["q5"] = {"d1": 1}
    del ranked["q0"]
    records = [{"query-id": q, "corpus-id": d, "score": s} for q, row in ranked.items() for d, s in row.items()]
    gold = "".join(f"{q} 0 {d} {gain}\n" for q, row in judged.items() for d, gain in row.items())
    own = reference.run(judged, ranked, k)
    if pytrec_eval is None:
        return ["--task", "rank", "--top-k", str(k)], records, own, own, gold
    measures = {"mrr": "recip_rank", "map": "map", "ndcg": "ndcg", "ndcg_at_5": "ndcg_cut_5", "precision_at_5": "P_5",
                "recall_at_5": "recall_5"}
    kinds = {"recip_rank", "map", "ndcg", "ndcg_cut.5", "P.5", "recall.5"}
    rows = pytrec_eval.RelevanceEvaluator(judged, kinds).evaluate(ranked)
    expected = {"queries": len(judged), "mrr_at_5": own["mrr_at_5"]}
    expected.update({name: sum(row[m] for row in rows.values()) / len(judged) for name, m in measures.items()})
    return ["--task", "rank", "--top-k", str(k)], records, {name: expected[name] for name in own}, own, gold


def tags_case(rng, scheme, strict):
    prefixes = {"iobes": "BIES", "bilou": "BILU"}.get(scheme, "BI")
    tags = ["O", "O"] + [f"{prefix}-{name}" for prefix in prefixes for name in ("PER", "LOC")]
    sentences = []
    for _ in range(12):
        gold = ["B-PER", *(rng.choice(tags) for _ in range(rng.randrange(1, 9)))]
        sentences.append([(g, g if rng.random() < 0.8 else rng.choice(tags)) for g in gold])
    records = [{"tags": [g for g, _ in s], "prediction": [p for _, p in s]} for s in sentences]
    options = ["--task", "tag", "--metric", "precision,recall,f1,types"] + (["--scheme", scheme] if strict else [])
    entities = (lambda t: reference.strict_entities(t, scheme)) if strict else reference.lenient_entities
    own = reference.entity_scores(sentences, entities)
    if seqeval is None:
        return options, records, own, own
    mode = {"mode": "strict", "scheme": getattr(seqeval.scheme, scheme.upper())} if strict else {}
    gold, predicted = ([[row[side] for row in s] for s in sentences] for side in (0, 1))
    report = seqeval.metrics.classification_report(gold, predicted, output_dict=True, zero_division=0, **mode)
    figures = lambda row: {"precision": row["precision"], "recall": row["recall"], "f1": row["f1-score"]}
    averages = ("micro avg", "macro avg", "weighted avg")
    types = {name: {**figures(row), "gold": int(row["support"]), "predicted": own["types"][name]["predicted"]}
             for name, row in report.items() if name not in averages}
    expected = {"words": sum(map(len, sentences)), **figures(report["micro avg"]), "types": types}
    return options, records, expected, own


def replaced_case(rng):
    rows = []
    for _ in range(rng.randrange(1, 6)):
        gold = [rng.choice([0, 0, 1]) for _ in range(rng.randrange(1, 12))]
        rows.append(([-100, *gold, -100], [g if rng.random() < 0.7 else 1 - g for g in gold]))
    gold = sum((labels[1:-1] for labels, _ in rows), [])
    predicted = sum((labels for _, labels in rows), [])
    figures = metrics.precision_recall_fscore_support(gold, predicted, average="binary", zero_division=0)
    expected = {"tokens": len(gold), "accuracy": metrics.accuracy_score(gold, predicted),
                **dict(zip(("precision", "recall", "f1"), figures))}
    records = [{"labels": labels, "prediction": prediction} for labels, prediction in rows]
    return ["--task", "replaced"], records, expected, reference.replaced(rows)


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
    made += [run_case(rng) for _ in range(4)]
    made += [tags_case(rng, scheme, True) for scheme in reference.SCHEMES for _ in range(3)]
    made += [tags_case(rng, scheme, False) for scheme in ("iob1", "iob2", "iobes") for _ in range(2)]
    made += [replaced_case(rng) for _ in range(6)]
    cases, failed = [], False
    for options, records, expected, own, *gold in made:
        expected = {key: value.item() if isinstance(value, numpy.generic) else value for key, value in expected.items()}
        if differs(expected, own):
            print(f"FAILED: {options}: {expected}, score_reference.py has {own}")
            failed = True
        cases.append({"options": options, "records": records, "expected": expected, **({"gold": gold[0]} if gold else {})})
    if sys.argv[1:] == ["--check"]:
        with open(PATH, encoding="utf-8") as file:
            if differs(cases, json.load(file)["cases"]):
                print("FAILED: scores.json is not what is made now")
                failed = True
    elif not failed:
        versions = {"scikit-learn": sklearn.__version__, "scipy": scipy.__version__, "numpy": numpy.__version__,
                    "seqeval": "1.2.2", "pytrec_eval-terrier": "0.5.11"}
        with open(PATH, "w", encoding="utf-8") as file:
            file.write('{"made_with": %s,\n"cases": [\n%s\n]}\n' % (json.dumps(versions), ",\n".join(map(json.dumps, cases))))
    sys.exit(failed)


if __name__ == "__main__":
    main()
