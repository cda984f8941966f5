#!/usr/bin/python3
"""Compares bert-search --communities, --silhouette and --terms with NumPy in float64; with scikit-learn and
sentence-transformers, too, if they are installed.

Usage: check_clusters.py TOOLS_DIRECTORY
"""
import collections
import json
import math
import os
import sys
import tempfile

from check_search import numpy, run  # skips without NumPy

ROWS, WIDTH, TOPICS = 1500, 16, 12


def require(what, difference, bound):
    if not difference <= bound:
        sys.exit(f"check_clusters.py: {what}: differs by {difference}, expected at most {bound}")
    return difference


def cosines(rows):
    units = rows / numpy.linalg.norm(rows, axis=1, keepdims=True)
    return units @ units.T


def communities(near, least):
    """Of each row the number of its cluster and the row that is its center, or (-1, -1)."""
    candidates = sorted((row for row in range(len(near)) if near[row].sum() >= least),
                        key=lambda row: -near[row].sum())
    free, taken = numpy.ones(len(near), bool), []
    for center in candidates:
        members = numpy.flatnonzero(near[center] & free)
        if free[center] and len(members) >= least:
            free[members] = False
            taken.append((center, members))
    cluster, centers = numpy.full(len(near), -1), numpy.full(len(near), -1)
    for number, (center, members) in enumerate(sorted(taken, key=lambda pair: -len(pair[1]))):
        cluster[members], centers[members] = number, center
    return cluster, centers


def silhouettes(distances, cluster):
    values = numpy.full(len(cluster), numpy.nan)
    kinds = sorted(set(cluster) - {-1})
    for row in numpy.flatnonzero(cluster >= 0):
        means = {kind: distances[row][cluster == kind].sum() for kind in kinds}
        own = int((cluster == cluster[row]).sum())
        inside = means.pop(cluster[row]) / max(1, own - 1)
        outside = min(means[kind] / (cluster == kind).sum() for kind in means)
        values[row] = 0 if own == 1 else (outside - inside) / max(inside, outside)
    return values


def log_likelihood(table):
    """G² of a table of two rows and columns."""
    table = numpy.array(table, float)
    expected = table.sum(1, keepdims=True) * table.sum(0, keepdims=True) / table.sum()
    return 2 * sum(x * math.log(x / e) for x, e in zip(table.flat, expected.flat) if x > 0)


def best_terms(texts, cluster, count):
    inside, everywhere = collections.defaultdict(collections.Counter), collections.Counter()
    sizes = collections.Counter(int(kind) for kind in cluster if kind >= 0)
    for text, kind in zip(texts, cluster):
        if kind >= 0:
            inside[kind].update(set(text.split()))
            everywhere.update(set(text.split()))
    rows, best = sum(sizes.values()), {}
    for kind, found in inside.items():
        scores = {}
        for term, n in found.items():
            others = everywhere[term] - n
            if n * rows > everywhere[term] * sizes[kind]:
                scores[term] = log_likelihood([[n, sizes[kind] - n], [others, rows - sizes[kind] - others]])
        best[kind] = sorted(scores, key=lambda term: (-round(scores[term], 9), term.encode()))[:count]
    return best


def check(records, rows, texts, cluster, worst):
    """What is said of clusters that are known."""
    expected = silhouettes(1 - cosines(rows) * (1 - numpy.eye(len(rows))) - numpy.eye(len(rows)), cluster)
    terms = best_terms(texts, cluster, 3)
    for row, record in enumerate(records):
        if cluster[row] < 0:
            if record["terms"] is not None or record["silhouette"] is not None:
                sys.exit(f"record {row} is in no cluster: {record}")
            continue
        worst["silhouette"] = max(worst["silhouette"], require(
            f"silhouette of record {row}", abs(record["silhouette"] - expected[row]), 1e-7))
        if record["terms"] != terms[cluster[row]]:
            sys.exit(f"cluster {cluster[row]}: {record['terms']}, expected {terms[cluster[row]]}")
    return expected


def check_peers(rows, near, least, threshold, cluster, expected):
    checked = []
    try:
        from sklearn.metrics import silhouette_samples
        inside = cluster >= 0
        theirs = silhouette_samples(rows[inside], cluster[inside], metric="cosine")
        require("silhouettes of scikit-learn", numpy.abs(theirs - expected[inside]).max(), 1e-9)
        checked.append("scikit-learn")
    except ImportError:
        pass
    try:
        from sentence_transformers.util import community_detection
        theirs = community_detection(rows.astype(numpy.float32), threshold=threshold, min_community_size=least)
        ours = [sorted(numpy.flatnonzero(cluster == number)) for number in range(cluster.max() + 1)]
        if [sorted(members) for members in theirs] != ours:
            sys.exit("the communities are not those of sentence-transformers")
        checked.append("sentence-transformers")
    except ImportError:
        pass
    return checked


def main():
    tools = os.path.abspath(sys.argv[1])
    random = numpy.random.default_rng(3)
    topics = random.standard_normal((TOPICS, WIDTH))
    topic = random.integers(TOPICS, size=ROWS)
    rows = (topics[topic] + random.uniform(0.1, 1.2, (ROWS, 1)) * random.standard_normal((ROWS, WIDTH)))
    rows[40:60] = rows[20:40]
    rows = rows.astype(numpy.float32)
    texts = [" ".join([f"topic{topic[row]}" if random.random() < 0.4 else f"word{random.zipf(1.6) % 60}"
                       for _ in range(random.integers(1, 9))]) for row in range(ROWS)]
    worst, sizes, peers = {"silhouette": 0, "distance": 0}, [], []
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        numpy.save("rows.npy", rows)
        with open("records.jsonl", "w") as file:
            file.writelines(json.dumps({"text": text}) + "\n" for text in texts)
        wide = rows.astype(numpy.float64)
        products = cosines(wide)
        options = ("--index", "rows.npy", "--records", "records.jsonl", "--terms", 3, "--silhouette")
        for threshold, least in ((0.8, 5), (0.7, 10), (0.9, 2), (0.5, 30)):
            near = products.astype(numpy.float32) >= numpy.float32(threshold)
            cluster, centers = communities(near, least)
            records = run(tools, "--communities", threshold, "--min-size", least, *options)
            for row, record in enumerate(records):
                if record["cluster"] != (None if cluster[row] < 0 else cluster[row]):
                    sys.exit(f"record {row} is in cluster {record['cluster']}, expected {cluster[row]}")
                if cluster[row] >= 0:
                    worst["distance"] = max(worst["distance"], require(
                        f"distance of record {row}", abs(record["distance"] - 1 + products[row][centers[row]]), 1e-7))
            expected = check(records, wide, texts, cluster, worst)
            peers = check_peers(wide, near, least, threshold, cluster, expected)
            sizes.append(f"{cluster.max() + 1} clusters with {(cluster >= 0).sum()}")
        records = run(tools, "--cluster", 9, *options)
        check(records, wide, texts, numpy.array([record["cluster"] for record in records]), worst)
    print(f"{', '.join(sizes)} of {ROWS} records; silhouettes within {worst['silhouette']:.1e}, distances within "
          f"{worst['distance']:.1e}; the same as {' and '.join(['NumPy', *peers])}")


if __name__ == "__main__":
    main()
