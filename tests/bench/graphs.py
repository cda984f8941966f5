#!/usr/bin/python3
"""Prints speed and recall of approximate search: bert-search --graph and faiss (Markdown).

    python3 tests/bench/graphs.py BUILD_DIR [--rows 200000] [--queries 10000] [--threads 2] [--work DIR]

Vectors of 384 numbers lie around random centres, 100 around each; queries lie around the same centres. Recall is the
share of the ten nearest that exact search finds. Needs faiss (pip's faiss-cpu, or Debian's python3-faiss) and an otherwise
idle machine. Times in parentheses are those of all cores together.
"""
import argparse
import resource
import subprocess
import time
from pathlib import Path

import faiss
import numpy as np

from bench import table

WIDTH, GROUP, NEAREST = 384, 100, 10
ROUNDS = 3  # of searches, the fastest of which counts
LINKS, BUILD_CANDIDATES = 16, 200  # as lib/search/hnsw.cpp


def make(options):
    random = np.random.default_rng(1)
    centres = random.standard_normal((options.rows // GROUP, WIDTH), np.float32)

    def around(count):
        vectors = centres[random.integers(len(centres), size=count)] + random.standard_normal((count, WIDTH), np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return around(options.rows), around(options.queries)


class Spent:
    """Seconds, and those of all threads and processes on a core."""
    def __init__(self, begin=None):
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        self.wall, self.cpu = time.perf_counter(), sum(of.ru_utime + of.ru_stime for of in used)
        if begin:
            self.wall -= begin.wall
            self.cpu -= begin.cpu

    def __str__(self):
        return f"{self.wall:.3g} s ({self.cpu:.3g} s)"


def timed(work, rounds=1):
    """The result, and the shortest time."""
    times = []
    for _ in range(rounds):
        begin = Spent()
        result = work()
        times.append(Spent(begin))
    return result, min(times, key=lambda spent: spent.wall)


class Report:
    def __init__(self, exact):
        self.exact = [set(ids) for ids in exact]

    def recall(self, found):
        return sum(len(a & set(b)) for a, b in zip(self.exact, found)) / (NEAREST * len(self.exact))

    def row(self, name, setting, build, search, found):
        print(f"| {name} | {setting} | {build} | {search} | {self.recall(found):.4f} |", flush=True)


def bert_search(options, work, *more, rounds=1):
    """Neighbours of all queries, and the time of the whole process."""
    out, spent = timed(lambda: subprocess.run(
        [Path(options.build) / "cmd/bert-search", "-q", "--index", work / "rows.npy", "-k", str(NEAREST), "-j", str(options.threads),
         "--precision", "3", *more, work / "queries.npy"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout,
        rounds)
    ids = subprocess.run(["jq", "-c", "[.neighbors[].id]"], input=out, check=True, stdout=subprocess.PIPE).stdout
    return [list(map(int, line.strip(b"[]").split(b","))) for line in ids.splitlines()], spent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("--queries", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", default="/tmp/bert-graphs")
    options = parser.parse_args()
    work = Path(options.work)
    work.mkdir(parents=True, exist_ok=True)
    rows, queries = make(options)
    np.save(work / "rows.npy", rows)
    np.save(work / "queries.npy", queries)
    faiss.omp_set_num_threads(options.threads)
    table("index", "setting", "build", "search", "recall@10")

    exact, spent = bert_search(options, work)
    report = Report(exact)
    report.row("bert-search, exact", "", "", spent, exact)
    graph = work / "rows.graph"
    graph.unlink(missing_ok=True)
    build = timed(lambda: bert_search(options, work, "--graph", graph))[1]
    for candidates in (10, 50, 100):
        found, spent = bert_search(options, work, "--graph", graph, "--candidates", str(candidates),
                                   rounds=ROUNDS)
        report.row("bert-search --graph", f"{candidates} candidates", build, spent, found)
    index = faiss.IndexHNSWFlat(WIDTH, LINKS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = BUILD_CANDIDATES
    build = timed(lambda: index.add(rows))[1]
    for candidates in (10, 50, 100):
        index.hnsw.efSearch = candidates
        (_, found), spent = timed(lambda: index.search(queries, NEAREST), ROUNDS)
        report.row("faiss IndexHNSWFlat", f"{candidates} candidates", build, spent, found)
    lists = 4 * int(options.rows**0.5)
    centres = faiss.IndexFlatIP(WIDTH)
    index = faiss.IndexIVFFlat(centres, WIDTH, lists, faiss.METRIC_INNER_PRODUCT)

    def fill():
        index.train(rows)
        index.add(rows)
    build = timed(fill)[1]
    for probes in (1, 8, 64):
        index.nprobe = probes
        (_, found), spent = timed(lambda: index.search(queries, NEAREST), ROUNDS)
        report.row("faiss IndexIVFFlat", f"{probes} of {lists} lists", build, spent, found)


if __name__ == "__main__":
    main()
