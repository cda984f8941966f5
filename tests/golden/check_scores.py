#!/usr/bin/python3
"""Compares bert-score and the normalization of answers with score_reference.py on generated records.

usage: check_scores.py DIRECTORY_OF_THE_TOOLS NORMAL_FORM_PROBE

Metrics of answers must be equal to the last digit, others to 1e-12. scores.json has metrics computed by
scikit-learn, SciPy and others.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unicodedata

import score_reference as reference

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = 150  # of each kind
compared = 0


def same(got, expected, exact):
    if isinstance(expected, dict):
        return isinstance(got, dict) and got.keys() == expected.keys() and all(
            same(got[key], expected[key], exact) for key in expected)
    if exact or expected is None or got is None or isinstance(expected, (int, str)):
        return got == expected
    return math.isclose(got, expected, rel_tol=1e-12, abs_tol=1e-12)


class Checker:
    def __init__(self, tools, directory):
        self.tool = os.path.join(tools, "bert-score")
        self.directory = directory
        self.failures = 0

    def file(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def score(self, options, records):
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        run = subprocess.run([self.tool, "-q", *options], input=text, capture_output=True, encoding="utf-8", check=False)
        if run.returncode != 0:
            return run.stderr
        got = json.loads(run.stdout)
        got.pop("records")
        return got

    def expect(self, expected, options, records, exact=False):
        global compared
        compared += 1
        got = self.score(options, records)
        if same(got, expected, exact):
            return
        self.failures += 1
        print(f"FAILED: bert-score {' '.join(options)}\nexpected {expected}\ngot      {got}\nof {records[:40]}")


def check_labels(check, rng):
    gold = [str(rng.randrange(rng.choice([1, 2, 2, 5, 12]))) for _ in range(rng.randrange(1, 40))]
    predicted = [g if rng.random() < 0.6 else str(rng.randrange(12)) for g in gold]
    if rng.random() < 0.5:
        predicted = [str(min(int(p), 1)) for p in predicted]
    records = [{"label": int(g) if rng.random() < 0.5 else g, "prediction": p} for g, p in zip(gold, predicted)]
    expected = {"accuracy": reference.accuracy(gold, predicted)}
    labels = sorted(set(gold + predicted), key=int)
    options = ["--task", "classify"]
    if len(labels) > 2:
        label = rng.choice(labels)
        options += ["--positive", label]
    else:
        label = labels[-1]
    table = reference.per_label(gold, predicted)
    expected.update(f1=table[label]["f1"], positive=label, macro_f1=reference.macro_f1(gold, predicted),
                    matthews=reference.matthews(gold, predicted), precision=table[label]["precision"],
                    recall=table[label]["recall"], labels=table)
    if len(labels) > 1 and rng.random() < 0.5:
        confidences = [rng.randrange(65) / 64 for _ in records]
        for record, confidence in zip(records, confidences):
            record["scores"] = {**dict.fromkeys(labels, 0), record["prediction"]: confidence}
        options += ["--metric", "accuracy,f1,macro_f1,matthews,ece,precision,recall,labels"]  # check_sklearn.py has the others
        expected["ece"] = reference.calibration_error(confidences, [g == p for g, p in zip(gold, predicted)])
    check.expect(expected, options, records)


def check_sets(check, rng):
    pick = lambda: [label for label in "abcde" if rng.random() < 0.3]
    gold = [pick() for _ in range(rng.randrange(1, 30))]
    predicted = [g if rng.random() < 0.4 else pick() for g in gold]
    check.expect(reference.multilabel(gold, predicted), ["--task", "multilabel"],
                 [{"label": g, "prediction": p} for g, p in zip(gold, predicted)])


def check_numbers(check, rng):
    values = rng.choice([1, 3, 10, 1000])
    x = [rng.randrange(values) / 7 for _ in range(rng.randrange(2, 60))]
    y = [a + rng.randrange(values) / 3 - (rng.random() < 0.1) for a in x]
    check.expect({"pearson": reference.pearson(x, y), "spearman": reference.spearman(x, y)}, ["--task", "regress"],
                 [{"label": a, "prediction": b} for a, b in zip(x, y)])


def check_ranks(check, rng):
    passages = [(rng.choice("abcd"), rng.choice([0, 0, -1, 1, 1.5]), rng.randrange(-4, 5) / 2)
                for _ in range(rng.randrange(1, 40))]
    check.expect(reference.passages(passages, 10), ["--task", "rank"],
                 [{"text": q, "label": gain, "prediction": s} for q, gain, s in passages])


def check_runs(check, rng):
    """Runs and judgments in the forms of TREC and BEIR, and neighbors as bert-search writes them."""
    k, names = rng.randrange(1, 6), [f"d{i}" for i in range(rng.randrange(1, 20))]
    pick = lambda values: {name: rng.choice(values) for name in names if rng.random() < 0.5}
    queries = [f"q{i}" for i in range(rng.randrange(1, 7))]
    judged = {query: pick([0, 1, 1, 2]) for query in queries}
    ranked = {query: pick([0.5, 1, 1.5, 2.5]) for query in queries + ["other"] if rng.random() < 0.8}
    judged = {query: row for query, row in judged.items() if row}
    if not any(query in ranked and ranked[query] for query in judged):
        return
    judgments = [(query, name, gain) for query, row in judged.items() for name, gain in row.items()]
    run = [(query, name, score) for query, row in ranked.items() for name, score in row.items()]
    rng.shuffle(run)
    expected = reference.run(judged, ranked, k)
    trec = check.file("qrels.txt", "".join(f"{q} 0\t{d} {gain}\n" for q, d, gain in judgments))
    beir = check.file("test.tsv", "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{gain}\n" for q, d, gain in judgments))
    text = check.file("run", "".join(f"{q} Q0 {d} 1 {score} x\n" for q, d, score in run))
    options = ["--task", "rank", "--top-k", str(k), "--gold"]
    check.expect(expected, options + [trec, text], [])
    check.expect(expected, options + [beir], [{"query-id": q, "corpus-id": d, "score": s} for q, d, s in run])
    order = {query: sorted(row, key=lambda name: (row[name], name), reverse=True) for query, row in ranked.items()}
    check.expect(expected, options + [trec], [{"id": query, "neighbors": [{"id": name, "score": 0} for name in names]}
                                              for query, names in order.items()])


def check_replaced(check, rng):
    rows = []
    for _ in range(rng.randrange(1, 9)):
        labels = [rng.choice([-100, 0, 0, 1]) for _ in range(rng.randrange(12))]
        rows.append((labels, [g if rng.random() < 0.7 else 1 - g for g in labels if g != -100]))
    check.expect(reference.replaced(rows), ["--task", "replaced"],
                 [{"labels": labels, "prediction": prediction} for labels, prediction in rows])


TAGS = ["O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC", "I-A-B", "B", "I"]


def check_tags(check, rng):
    sentences = []
    for _ in range(rng.randrange(1, 12)):
        gold = [rng.choice(TAGS) for _ in range(rng.randrange(1, 12))]
        sentences.append([(g, g if rng.random() < 0.7 else rng.choice(TAGS)) for g in gold])
    expected = reference.conll(sentences)
    check.expect(expected, ["--task", "tag"],
                 [{"tags": [g for g, _ in sentence], "prediction": [p for _, p in sentence]} for sentence in sentences])
    text = "\n\n".join("\n".join(f"w {g} {p}" for g, p in sentence) for sentence in sentences)
    check.expect(expected, ["--task", "tag", check.file("tagged.conll", text + "\n")], [])


def check_schemes(check, rng):
    """IOBES, BILOU and the others, read leniently or strictly; and tags without prefixes."""
    scheme = rng.choice(sorted(reference.SCHEMES))
    prefixes = {"iobes": "BIES", "bilou": "BILU"}.get(scheme, "BI")
    tags = ["O", "O"] + [f"{prefix}-{name}" for prefix in prefixes for name in ("PER", "LOC")]
    sentences = []
    for _ in range(rng.randrange(1, 12)):
        gold = [rng.choice(tags) for _ in range(rng.randrange(1, 12))]
        sentences.append([(g, g if rng.random() < 0.7 else rng.choice(tags)) for g in gold])
    records = [{"tags": [g for g, _ in s], "prediction": [p for _, p in s]} for s in sentences]
    names = "precision,recall,f1,types"
    for options, entities in ((["--scheme", scheme], lambda t: reference.strict_entities(t, scheme)),
                              ([], reference.lenient_entities)):
        check.expect(reference.entity_scores(sentences, entities), ["--task", "tag", "--metric", names, *options], records)
    plain = [[rng.choice(["DET", "NOUN", "VERB", "B", "O", "S"]) for _ in range(rng.randrange(1, 9))] for _ in sentences]
    plain[0][0] = "X"
    guess = [[tag if rng.random() < 0.7 else "NOUN" for tag in tags] for tags in plain]
    flat = sum(plain, []), sum(guess, [])
    check.expect({"words": len(flat[0]), "accuracy": reference.accuracy(*flat), "types": reference.per_label(*flat)},
                 ["--task", "tag"], [{"tags": g, "prediction": p} for g, p in zip(plain, guess)])


PIECES = ["a", "an", "the", "The ", "A ", " an ", "cat", "cats", "in", "1990", "É", "Σ", "ΑΣ", "İ", "\u0301", "—", "-",
          "'", ".", " ", "  ", "\u00a0", "\u2003", "\x1c", "\t", "\n", "½", "中", "\u200b", "😀", "_", ""]


def random_answer(rng):
    return "".join(rng.choice(PIECES) for _ in range(rng.randrange(6)))


def check_answers(check, rng):
    version = rng.choice(["v1", "v2"])
    questions = []
    for _ in range(rng.randrange(1, 25)):
        least = 1 if version == "v1" or rng.random() < 0.6 else 0
        answers = [random_answer(rng) for _ in range(rng.randrange(1, 4) * least)]
        prediction = rng.choice(answers) + rng.choice(["", " x", "."]) if answers and rng.random() < 0.5 else random_answer(rng)
        questions.append((answers, prediction))
    ids = [f"q{i}" for i in range(len(questions))]
    data = {"data": [{"paragraphs": [{"qas": [{"id": i, "answers": [{"text": a} for a in answers]}]}]}
                     for i, (answers, _) in zip(ids, questions)]}
    gold = check.file("gold.json", json.dumps(data, indent=rng.choice([None, 1])))
    order = rng.sample(range(len(ids)), len(ids))
    predictions = {ids[i]: questions[i][1] for i in order}
    null_scores = [rng.randrange(-6, 7) / 2 for _ in ids]
    records = [{"id": ids[i], "prediction": questions[i][1]} for i in order]
    if version == "v1":
        options = ["--metric", "squad", "--gold", gold]
        expected = reference.squad_v1(questions)
        check.expect(expected, options, records, exact=True)
        check.expect(expected, options, [predictions], exact=True)
        missing = rng.randrange(len(ids))
        some = [(a, None if i == missing else p) for i, (a, p) in enumerate(questions)]
        check.expect(reference.squad_v1(some), options, [r for r in records if r["id"] != ids[missing]] +
                     [{"id": "other", "prediction": "x"}], exact=True)
        return
    options = ["--metric", "squad_v2", "--gold", gold]
    check.expect(reference.squad_v2(questions), options, records, exact=True)
    check.expect(reference.squad_v2(questions), ["--metric", "squad_v2"],
                 [{"answers": {"text": a}, "prediction": p} for a, p in questions], exact=True)
    for record, i in zip(records, order):
        record["null_score"] = null_scores[i]
    expected = reference.squad_v2(questions, null_scores, order)
    check.expect(expected, options, records, exact=True)
    odds = check.file("odds.json", json.dumps({ids[i]: null_scores[i] for i in order}))
    shuffled = rng.sample(sorted(predictions), len(predictions))
    check.expect(expected, options + ["--null-scores", odds], [{i: predictions[i] for i in shuffled}], exact=True)
    threshold = rng.choice(null_scores)
    expected_at = reference.squad_v2(questions, null_scores, order, threshold)
    expected_at.update({key: value for key, value in expected.items() if key.startswith("best")})
    check.expect(expected_at, options + ["--no-answer-threshold", str(threshold)], records, exact=True)


def check_normal_form(probe, rng):
    """All code points that this Python version knows, alone and among others, and random strings of them.

    Code points that have another category in ICU's Unicode version are skipped.
    """
    global compared
    categories = subprocess.run([probe, "--categories"], capture_output=True, encoding="ascii", check=True).stdout.split("\0")
    known = [chr(c) for c, category in enumerate(categories[:-1], start=1)
             if category not in ("Cn", "Cs") and unicodedata.category(chr(c)) == category]
    texts = [form for c in known for form in (c, f"the{c}a{c}", f"Α{c}Σ", f"Σ{c}Α", f"Α{c}Σ{c}Α a")]
    texts += ["".join(rng.choice(known if rng.random() < 0.5 else PIECES) for _ in range(rng.randrange(12)))
              for _ in range(100000)]
    run = subprocess.run([probe], input="".join(text + "\0" for text in texts).encode(), capture_output=True, check=True)
    got = run.stdout.decode().split("\0")[:-1]
    compared += len(texts)
    wrong = [(text, g) for text, g in zip(texts, got) if g != reference.normal_form(text)]
    for text, g in wrong[:20]:
        print(f"FAILED: {text!r} becomes {g!r}, expected {reference.normal_form(text)!r}")
    return len(wrong) + abs(len(texts) - len(got))


def main():
    tools, probe = sys.argv[1:]
    rng = random.Random(5)
    failures = check_normal_form(probe, rng)
    with tempfile.TemporaryDirectory() as directory:
        check = Checker(tools, directory)
        for kind in (check_labels, check_sets, check_numbers, check_ranks, check_runs, check_replaced, check_tags, check_schemes,
                     check_answers):
            for _ in range(CASES):
                kind(check, rng)
        with open(os.path.join(HERE, "scores.json"), encoding="utf-8") as file:
            for case in json.load(file)["cases"]:
                gold = ["--gold", check.file("gold.txt", case["gold"])] if "gold" in case else []
                check.expect(case["expected"], case["options"] + gold, case["records"])
        failures += check.failures
    print(f"{compared} comparisons, {failures} differ")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
