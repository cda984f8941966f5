"""Metrics from their definitions in plain Python, to compare bert-score with.

Labels and correlations follow scikit-learn and SciPy (score_reference_test.py compares with both), entities
follow conlleval's chunk counts, answers follow the evaluation scripts of SQuAD 1.1 and 2.0.
"""
import math
import re
import string
from collections import Counter
from fractions import Fraction


def ratio(part, whole):
    return part / whole if whole else 0.0


def calibration_error(confidences, hits):
    """Guo et al. 2017, equation 3, with 10 bins."""
    error = 0
    for b in range(10):
        members = [i for i, c in enumerate(confidences) if b / 10 < c <= (b + 1) / 10 or (b == 0 and c == 0)]
        if members:
            gap = abs(sum(hits[i] for i in members) / len(members) - sum(confidences[i] for i in members) / len(members))
            error += len(members) / len(hits) * gap
    return error


def accuracy(gold, predicted):
    return ratio(sum(g == p for g, p in zip(gold, predicted)), len(gold))


def f1(gold, predicted, label):
    both = sum(g == p == label for g, p in zip(gold, predicted))
    return ratio(2 * both, gold.count(label) + predicted.count(label))


def per_label(gold, predicted):
    """For each label, as sklearn's precision_recall_fscore_support; gold and predicted are lists of sets or of labels."""
    as_sets = lambda rows: [row if isinstance(row, (set, list)) else [row] for row in rows]
    gold, predicted = as_sets(gold), as_sets(predicted)
    table = {}
    for label in sorted({label for row in gold + predicted for label in row}):
        t, p = [label in row for row in gold], [label in row for row in predicted]
        both = sum(a and b for a, b in zip(t, p))
        table[label] = {"precision": ratio(both, sum(p)), "recall": ratio(both, sum(t)), "f1": f1(t, p, True),
                        "gold": sum(t), "predicted": sum(p)}
    return table


def replaced(rows):
    """Of rows (gold labels, predictions), where the gold label -100 has no prediction."""
    gold = [label for labels, _ in rows for label in labels if label != -100]
    predicted = [label for _, labels in rows for label in labels]
    table = per_label(gold, predicted).get(1, {})
    return {"tokens": len(gold), "accuracy": accuracy(gold, predicted),
            **{name: table.get(name, 0.0) for name in ("precision", "recall", "f1")}}


def macro_f1(gold, predicted):
    labels = sorted(set(gold) | set(predicted))
    return ratio(sum(f1(gold, predicted, label) for label in labels), len(labels))


def matthews(gold, predicted):
    """Gorodkin's R_K from the exact confusion matrix."""
    n, right = len(gold), sum(g == p for g, p in zip(gold, predicted))
    t, p = Counter(gold), Counter(predicted)
    covariance = right * n - sum(t[label] * p[label] for label in t)
    variances = (n * n - sum(k * k for k in t.values())) * (n * n - sum(k * k for k in p.values()))
    return covariance / math.sqrt(variances) if variances else 0.0


def multilabel(gold, predicted):
    labels = sorted({label for labels in gold + predicted for label in labels})
    column = lambda rows, label: [label in row for row in rows]
    each = [f1(column(gold, label), column(predicted, label), True) for label in labels]
    both = sum(len(set(g) & set(p)) for g, p in zip(gold, predicted))
    size = sum(len(set(row)) for row in gold + predicted)
    return {"micro_f1": ratio(2 * both, size), "macro_f1": ratio(sum(each), len(labels)),
            "accuracy": ratio(sum(set(g) == set(p) for g, p in zip(gold, predicted)), len(gold)),
            "labels": per_label(gold, predicted)}


def pearson(x, y):
    """None if undefined. Sums are exact."""
    x, y = [Fraction(a) for a in x], [Fraction(b) for b in y]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    xx, yy = sum((a - mean_x) ** 2 for a in x), sum((b - mean_y) ** 2 for b in y)
    xy = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
    if xx == 0 or yy == 0:
        return None
    return math.copysign(math.sqrt(xy * xy / (xx * yy)), xy)


def ranks(values):
    place = {}
    for i, value in enumerate(sorted(values), 1):
        place.setdefault(value, []).append(i)
    return [Fraction(sum(place[value]), len(place[value])) for value in values]


def spearman(x, y):
    return pearson(ranks(x), ranks(y))


def ranking(gains, relevant, k):
    """Metrics of one query: gains of ranked documents, best first, and those of all relevant documents."""
    places = [place for place, gain in enumerate(gains, 1) if gain > 0]
    if not relevant:
        return dict.fromkeys(["mrr", "map", "ndcg", f"mrr_at_{k}", f"ndcg_at_{k}", f"precision_at_{k}", f"recall_at_{k}"], 0)
    discounted = lambda values: sum(gain / math.log2(place + 1) for place, gain in enumerate(values, 1) if gain > 0)
    best = sorted(relevant, reverse=True)
    first = places[0] if places else math.inf
    near = [place for place in places if place <= k]
    return {"mrr": 1 / first, "map": sum(n / place for n, place in enumerate(places, 1)) / len(relevant),
            "ndcg": discounted(gains) / discounted(best), f"mrr_at_{k}": 1 / first if near else 0,
            f"ndcg_at_{k}": discounted(gains[:k]) / discounted(best[:k]), f"precision_at_{k}": len(near) / k,
            f"recall_at_{k}": len(near) / len(relevant)}


def means(rows):
    return {"queries": len(rows), **{name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}}


def passages(records, k):
    """records: (query, gain, score). Of equal scores, the lowest gain is first."""
    queries = {}
    for query, gain, score in records:
        queries.setdefault(query, []).append((-score, gain))
    return means([ranking([gain for _, gain in sorted(query)], [gain for _, gain in query if gain > 0], k)
                  for query in queries.values()])


def run(judged, ranked, k):
    """{query: {document: gain}} and {query: {document: score}}. Of equal scores, the last name is first."""
    rows = []
    for query, gains in judged.items():
        order = sorted(ranked.get(query, {}).items(), key=lambda item: (item[1], item[0]), reverse=True)
        rows.append(ranking([gains.get(document, 0) for document, _ in order], [g for g in gains.values() if g > 0], k))
    return means(rows)


ALL = "OBIESLU"
SCHEMES = {  # (prefixes before, prefix, types): where entities start, continue and end
    "iob1": ({("O", "I", "any"), ("I", "I", "differ"), ("B", "I", "any"), ("IB", "B", "equal")},
             {("BI", "I", "equal")},
             {("I", "IB", "differ"), ("I", "OB", "any"), ("B", "O", "any"), ("B", "I", "differ"), ("B", "B", "equal")}),
    "iob2": ({(ALL, "B", "any")}, {("BI", "I", "equal")}, {("BI", "OB", "any"), ("BI", "I", "differ")}),
    "iobes": ({(ALL, "BS", "any")}, {("BI", "IE", "equal")}, {("SE", ALL, "any")}),
    "bilou": ({(ALL, "BU", "any")}, {("BI", "IL", "equal")}, {("UL", ALL, "any")}),
}


def strict_entities(tags, scheme):
    """The entities (type, begin, end) of seqeval's strict mode, from its tables of patterns."""
    start, inside, end = SCHEMES[scheme]
    tags = [(tag[0], tag[2:]) for tag in tags] + [("O", "")]
    types = {"any": lambda a, b: True, "equal": lambda a, b: a == b, "differ": lambda a, b: a != b}
    fits = lambda table, a, b: any(a[0] in x and b[0] in y and types[how](a[1], b[1]) for x, y, how in table)
    found, i, before = set(), 0, ("O", "")
    while i < len(tags):
        if fits(start, before, tags[i]):
            j = i + 1
            while fits(inside, tags[j - 1], tags[j]):
                j += 1
            if fits(end, tags[j - 1], tags[j]):
                found.add((tags[i][1], i, j))
            i = j
        else:
            i += 1
        before = tags[i - 1]
    return found


def lenient_entities(tags):
    """The entities of seqeval's default mode; L- and U- of BILOU are read as E- and S-."""
    tags = [(tag[0].translate(str.maketrans("LU", "ES")), tag[2:]) for tag in tags] + [("O", "")]
    found, begin, before = set(), 0, ("O", "")
    for i, (kind, name) in enumerate(tags):
        differ = before[1] != name
        if before[0] in "ES" or (before[0] in "BI" and kind in "BSO") or (before[0] != "O" and differ):
            found.add((before[1], begin, i))
        if kind in "BS" or (before[0] in "ESO" and kind in "EI") or (kind != "O" and differ):
            begin = i
        before = (kind, name)
    return {entity for entity in found if entity[1] < entity[2]}


def entity_scores(sentences, entities):
    """Metrics of [(gold tag, predicted tag)] per sentence, without accuracy."""
    sets = [{(i, *e) for i, s in enumerate(sentences) for e in entities([row[side] for row in s])} for side in (0, 1)]

    def figures(gold, predicted):
        p, r = ratio(len(gold & predicted), len(predicted)), ratio(len(gold & predicted), len(gold))
        return {"precision": p, "recall": r, "f1": ratio(2 * p * r, p + r)}

    types = {}
    for name in sorted({entity[1] for side in sets for entity in side}):
        gold, predicted = ({entity for entity in side if entity[1] == name} for side in sets)
        types[name] = {**figures(gold, predicted), "gold": len(gold), "predicted": len(predicted)}
    return {"words": sum(map(len, sentences)), **figures(*sets), "types": types}


def conll(sentences):
    """conlleval on [(gold tag, predicted tag)] per sentence: its state machine over the two columns."""
    def parts(tag):
        kind, _, kind_of = tag.partition("-")
        return kind, kind_of

    def ends(before, now):
        (kind, name), (next_kind, next_name) = before, now
        return kind != "O" and (next_kind in ("B", "O") or name != next_name)

    def begins(before, now):
        (kind, name), (next_kind, next_name) = before, now
        return next_kind != "O" and (next_kind == "B" or kind == "O" or name != next_name)

    gold, predicted, both = Counter(), Counter(), Counter()
    words = right = 0
    last_gold = last_predicted = ("O", "")
    open_in_both = False
    rows = [row for sentence in sentences for row in sentence + [None]]
    for row in rows:
        now_gold, now_predicted = (parts(row[0]), parts(row[1])) if row else (("O", ""), ("O", ""))
        if open_in_both:
            gold_ends, predicted_ends = ends(last_gold, now_gold), ends(last_predicted, now_predicted)
            if gold_ends and predicted_ends and last_gold[1] == last_predicted[1]:
                both[last_gold[1]] += 1
                open_in_both = False
            elif gold_ends != predicted_ends or now_gold[1] != now_predicted[1]:
                open_in_both = False
        gold_begins, predicted_begins = begins(last_gold, now_gold), begins(last_predicted, now_predicted)
        if gold_begins and predicted_begins and now_gold[1] == now_predicted[1]:
            open_in_both = True
        gold[now_gold[1]] += gold_begins
        predicted[now_predicted[1]] += predicted_begins
        if row:
            words += 1
            right += ((now_gold[0] == "O", gold_begins, now_gold[1]) ==
                      (now_predicted[0] == "O", predicted_begins, now_predicted[1]))
        last_gold, last_predicted = now_gold, now_predicted

    def figures(both, gold, predicted):
        p, r = ratio(both, predicted), ratio(both, gold)
        return {"precision": p, "recall": r, "f1": ratio(2 * p * r, p + r)}

    names = sorted(name for name in set(gold) | set(predicted) if gold[name] or predicted[name])
    types = {name: {**figures(both[name], gold[name], predicted[name]), "gold": gold[name], "predicted": predicted[name]}
             for name in names}
    return {"words": words, **figures(sum(both.values()), sum(gold.values()), sum(predicted.values())),
            "accuracy": ratio(right, words), "types": types}


def normal_form(answer):
    bare = "".join(c for c in answer.lower() if c not in string.punctuation)
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", bare).split())


def token_f1(gold, predicted, both_empty):
    gold, predicted = normal_form(gold).split(), normal_form(predicted).split()
    if both_empty is not None and not (gold and predicted):
        return both_empty if gold == predicted else 0
    same = sum((Counter(gold) & Counter(predicted)).values())
    if same == 0:
        return 0
    precision, recall = same / len(predicted), same / len(gold)
    return 2 * precision * recall / (precision + recall)


def squad_v1(questions):
    """questions: (answers, prediction or None), in the order of the data file."""
    exact = score = 0
    for answers, prediction in questions:
        if prediction is None:
            continue
        exact += max(normal_form(answer) == normal_form(prediction) for answer in answers)
        score += max(token_f1(answer, prediction, None) for answer in answers)
    return {"exact_match": 100.0 * exact / len(questions), "f1": 100.0 * score / len(questions)}


def squad_v2(questions, null_scores=None, order=None, threshold=None):
    """Every question has a prediction. null_scores by index; order: the indexes in the order of the null
    scores' file."""
    exact, score = [], []
    for place, (answers, prediction) in enumerate(questions):
        some = [answer for answer in answers if normal_form(answer)] or [""]
        e = max(int(normal_form(answer) == normal_form(prediction)) for answer in some)
        f = max(token_f1(answer, prediction, 1) for answer in some)
        if threshold is not None and null_scores[place] > threshold:
            e = f = int(not answers)
        exact.append(e)
        score.append(f)
    result = {}

    def add(prefix, places):
        if places:
            e = f = 0
            for place in places:
                e += exact[place]
                f += score[place]
            result[prefix + "exact_match"] = 100.0 * e / len(places)
            result[prefix + "f1"] = 100.0 * f / len(places)

    add("", range(len(questions)))
    add("has_answer_", [i for i, (answers, _) in enumerate(questions) if answers])
    add("no_answer_", [i for i, (answers, _) in enumerate(questions) if not answers])
    if null_scores is not None and threshold is None:
        for name, scores in (("best_exact_match", exact), ("best_f1", score)):
            best = now = sum(not answers for answers, _ in questions)
            best_threshold = 0.0 if min(null_scores) > 0 else min(null_scores) - 1
            for place in sorted(order, key=lambda place: null_scores[place]):
                answers, prediction = questions[place]
                now += scores[place] if answers else -1 if prediction else 0
                if now > best:
                    best, best_threshold = now, null_scores[place]
            result[name] = 100.0 * best / len(questions)
            result[name + "_threshold"] = best_threshold
    return result
