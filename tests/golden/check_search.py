#!/usr/bin/python3
"""Compares bert-search with NumPy in float64: thresholds, conditions, all neighbors, codes, and records that an index has.

Usage: check_search.py TOOLS_DIRECTORY
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: NumPy is absent")
    sys.exit(77)

ROWS, QUERIES, WIDTH = 3000, 40, 24


def values(metric, queries, rows):
    """Scores that f32 holds, and whether larger is better."""
    product = queries @ rows.T
    if metric == "dot":
        return product
    if metric == "cosine":
        return product / numpy.linalg.norm(queries, axis=1)[:, None] / numpy.linalg.norm(rows, axis=1)[None]
    return -numpy.sqrt(((queries[:, None] - rows[None]) ** 2).sum(axis=2))


def nearest(scores, allowed, least, most):
    order = numpy.lexsort((numpy.arange(len(scores)), -scores))
    found = [int(row) for row in order if allowed[row] and numpy.float32(scores[row]) >= numpy.float32(least)]
    return found[:most] if most else found


def run(tools, *arguments):
    done = subprocess.run([os.path.join(tools, "bert-search"), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_neighbors(tools, rows, queries, languages):
    count = 0
    for metric, thresholds in {"cosine": [-1, 0.3, 0.45], "dot": [-2.5, 4.0], "l2": [8.0, 5.5]}.items():
        scores = values(metric, queries, rows)
        for threshold in thresholds:
            for most in [0, 7]:
                for where in [[], ["de"], ["de", "fr"]]:
                    conditions = [part for language in where for part in ("--where", f"language={language}")]
                    found = run(tools, "--index", "index.npy", "--records", "records.jsonl", "--metric", metric,
                                "--min-score", threshold, "-k", most, *conditions, "queries.npy")
                    allowed = [not where or language in where for language in languages]
                    least = -threshold if metric == "l2" else threshold
                    for query, record in enumerate(found):
                        got = [neighbor["id"] for neighbor in record["neighbors"]]
                        expected = nearest(scores[query], allowed, least, most)
                        if got != expected:
                            sys.exit(f"{metric} {threshold} {most} {where}, query {query}: {got}, expected {expected}")
                        count += len(got)
    return count


def codes_of(directions, kind):
    """Levels of each dimension, and the codes of the rows."""
    if kind == "int8":
        low, step = directions.min(axis=0), (directions.max(axis=0) - directions.min(axis=0)) / 255
    else:
        deviation = directions.std(axis=0) * numpy.sqrt(2 / numpy.pi)
        low, step = directions.mean(axis=0) - deviation, 2 * deviation
    return low, step, numpy.clip(numpy.floor((directions - low) / step + 0.5), 0, 255 if kind == "int8" else 1)


def check_codes(tools, rows, queries):
    """Rows whose place among the candidates f64 and f32 see differently do not count: their codes give nearly the same score."""
    norms = numpy.linalg.norm(rows, axis=1)
    count = skipped = 0
    for kind, most in {"int8": 64, "sign": 127}.items():
        low, step, codes = codes_of(rows / norms[:, None], kind)
        for metric in ["cosine", "dot", "l2"]:
            exact = values(metric, queries, rows)
            found = run(tools, "--index", "index.npy", "--codes", kind, "--code", kind, "--metric", metric, "--candidates", 30,
                        "-k", 30, "queries.npy")
            for query, record in enumerate(found):
                weights = queries[query] * step
                inverse = most / abs(weights).max()
                products = ((queries[query] * low).sum() + codes @ numpy.round(weights * inverse) / inverse)
                scores = {"cosine": products, "dot": norms * products, "l2": norms * products - norms**2 / 2}[metric]
                last = numpy.sort(scores)[-30]
                near = abs(scores - last) < 1e-5 * abs(scores).max()
                got = [neighbor["id"] for neighbor in record["neighbors"]]
                expected = numpy.flatnonzero((scores > last) & ~near)
                if not set(expected) <= set(got) or any(scores[row] < last and not near[row] for row in got):
                    sys.exit(f"{kind} {metric}, query {query}: {sorted(got)}, expected {sorted(expected)}")
                if got != sorted(got, key=lambda row: (-exact[query][row], row)):
                    sys.exit(f"{kind} {metric}, query {query}: not in order: {got}")
                count, skipped = count + len(expected), skipped + int(near.sum()) - 1
    if skipped > count // 100:
        sys.exit(f"{skipped} of {count} candidates are too near to the last one")
    return count


def check_against(tools, rows, queries):
    """Each new record is left out if it is near a row or near a new record that was kept."""
    with_rows, among = values("cosine", queries, rows), values("cosine", queries, queries)
    sizes = set()
    for threshold in [0.6, 0.65, 0.7, 0.75]:
        kept = []
        for query in range(len(queries)):
            if with_rows[query].max() < threshold and all(among[query][other] < threshold for other in kept):
                kept.append(query)
        got = [record["row"] for record in run(tools, "--dedup", threshold, "--against", "index.npy", "queries.npy")]
        if got != kept:
            sys.exit(f"--against, {threshold}: {got}, expected {kept}")
        sizes.add(len(kept))
    return sizes


def main():
    tools = os.path.abspath(sys.argv[1])
    random = numpy.random.default_rng(5)
    rows = random.standard_normal((ROWS, WIDTH)).astype(numpy.float32)
    rows[100:110] = rows[:10]  # equal scores
    queries = random.standard_normal((QUERIES, WIDTH)).astype(numpy.float32)
    queries[7] = rows[3]
    queries[9] = queries[8]
    languages = [["de", "en", "fr", "it"][random.integers(4)] for _ in range(ROWS)]
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        numpy.save("index.npy", rows)
        numpy.save("queries.npy", queries)
        with open("records.jsonl", "w") as file:
            file.writelines(json.dumps({"language": language}) + "\n" for language in languages)
        wide_rows, wide_queries = rows.astype(numpy.float64), queries.astype(numpy.float64)
        count = check_neighbors(tools, wide_rows, wide_queries, languages)
        count += check_codes(tools, wide_rows, wide_queries)
        print(f"{count} neighbors; kept {sorted(check_against(tools, wide_rows, wide_queries))} of {QUERIES} records")


if __name__ == "__main__":
    main()
