#!/usr/bin/env python3
"""Compares bert-search --sparse, alone and joined with vectors, with a search in float64: random weights of tokens and random
vectors, 200 queries in 2,000 texts.

Usage: check_sparse_search.py TOOLS_DIRECTORY      (needs numpy)
"""
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

TEXTS, QUERIES, TOKENS, WIDTH, K, CANDIDATES, WEIGHT = 2000, 200, 300, 8, 10, 100, 0.7


def records(chance, count):
    # Few different weights, so that there are equal scores.
    for place in range(count):
        tokens = sorted(chance.sample(range(TOKENS), chance.randrange(0, 25)))
        yield {"id": place, "kind": place % 3, "sparse": {f"t{token}": chance.choice([0, 0.5, 1, 2.25, chance.random()]) for token in tokens},
               "embedding": [chance.gauss(0, 1) for _ in range(WIDTH)]}


def matrix(of):
    weights = numpy.zeros((len(of), TOKENS), numpy.float32)
    for row, record in enumerate(of):
        for token, weight in record["sparse"].items():
            weights[row, int(token[1:])] = weight
    return weights.astype(numpy.float64)


def vectors(of):
    rows = numpy.array([record["embedding"] for record in of], numpy.float32).astype(numpy.float64)
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


def ranking(scores, count):
    return sorted(scores, key=lambda row: (-round(scores[row], 12), row))[:count]


def joined(cosines, products, fusion):
    by_vector = ranking(cosines, CANDIDATES)
    by_words = ranking({row: product for row, product in products.items() if product > 0}, CANDIDATES)
    if fusion == "rank":
        scores = {}
        for found in (by_vector, by_words):
            for place, row in enumerate(found, 1):
                scores[row] = scores.get(row, 0) + 1 / (60 + place)
        return scores
    best = max(products[row] for row in {*by_vector, *by_words})
    return {row: WEIGHT * cosines[row] + ((1 - WEIGHT) * products[row] / best if best else 0) for row in {*by_vector, *by_words}}


def main():
    tool, worst, count = os.path.join(sys.argv[1], "bert-search"), 0.0, 0
    chance = random.Random(7)
    texts, queries = list(records(chance, TEXTS)), list(records(chance, QUERIES))
    products, cosines = matrix(queries) @ matrix(texts).T, vectors(queries) @ vectors(texts).T
    with tempfile.TemporaryDirectory() as folder:
        index = os.path.join(folder, "index.jsonl")
        with open(index, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in texts)
        for options in (["--lexical"], ["--hybrid"], ["--hybrid", "--fusion", "rank"], ["--lexical", "--where", "kind=1"],
                        ["--hybrid", "--where", "kind=1"], ["--lexical", "--min-score", "3"]):
            outputs = [subprocess.run([tool, "-q", "--index", index, "--sparse", "-k", str(K), "--threads", threads, *options],
                                      input="".join(json.dumps(record) + "\n" for record in queries).encode(), check=True,
                                      stdout=subprocess.PIPE).stdout for threads in "12"]
            if outputs[0] != outputs[1]:
                sys.exit(f"{options}: other results with 2 threads")
            for place, line in enumerate(outputs[0].splitlines()):
                rows = [row for row in range(TEXTS) if "--where" not in options or row % 3 == 1]
                of_words, of_vectors = ({row: float(scores[place, row]) for row in rows} for scores in (products, cosines))
                if "--hybrid" in options:
                    expected = joined(of_vectors, of_words, "rank" if "rank" in options else "score")
                else:
                    expected = {row: score for row, score in of_words.items() if score > (3 - 1e-9 if "--min-score" in options else 0)}
                best, found = ranking(expected, K), json.loads(line)["neighbors"]
                if [neighbor["id"] for neighbor in found] != best:
                    sys.exit(f"{options}, query {place}: found {found}, expected {[(row, expected[row]) for row in best]}")
                for neighbor in found:
                    row = neighbor["id"]
                    wanted = [(neighbor["score"], expected[row])]
                    if "--hybrid" in options:
                        wanted += [(neighbor["sparse"], of_words[row]), (neighbor["cosine"], of_vectors[row])]
                    worst = max([worst, *(abs(a - b) / max(1, abs(b)) for a, b in wanted)])
                    count += 1
    if worst > 1e-6:
        sys.exit(f"a score is off by {worst}")
    print(f"{count} neighbors, largest difference {worst:.2g}")


if __name__ == "__main__":
    main()
