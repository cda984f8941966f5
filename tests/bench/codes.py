#!/usr/bin/python3
"""Prints recall, memory and speed of searches in small indexes: bert-search --codes and faiss (Markdown).

    python3 tests/bench/codes.py BUILD_DIR TEXTS [-m MODEL] [--rows 100000] [--queries 1000] [--threads 2] [--work DIR]

The first lines of TEXTS are the queries, the following ones are searched; their vectors are made by bert-embed. Recall is
the share of the ten nearest that exact search finds. bert-search is the whole process, which reads the index, searches
and writes JSON; faiss has read it before. Needs faiss, GNU time and an otherwise
idle machine.
"""
import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import faiss
import numpy as np

from bench import table

NEAREST, ROUNDS = 10, 5


class Report:
    def __init__(self, exact):
        self.exact = [set(ids) for ids in exact]

    def row(self, name, setting, size, memory, seconds, found):
        hits = sum(len(a & set(b[:NEAREST])) for a, b in zip(self.exact, found))
        mib = [f"{part / 2**20:.1f}" if part else "" for part in (size, memory)]
        print(f"| {name} | {setting} | {mib[0]} | {mib[1]} | {seconds * 1000:.0f} ms | {len(found) / seconds:.0f} | "
              f"{hits / (NEAREST * len(self.exact)):.4f} |", flush=True)


def run(command):
    """Output, seconds and peak memory in bytes of a process; GNU time does not count that of this script."""
    with tempfile.NamedTemporaryFile() as memory:
        begin = time.perf_counter()
        out = subprocess.run(["time", "-f", "%M", "-o", memory.name, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             check=True).stdout
        return out, time.perf_counter() - begin, int(memory.read()) * 1024


def best_of(work):
    results = [work() for _ in range(ROUNDS)]
    return min(results, key=lambda result: result[1])


def timed(work):
    begin = time.perf_counter()
    result = work()
    return result, time.perf_counter() - begin


def make_vectors(options, work):
    texts = [line for line in open(options.texts, encoding="utf-8").read().split("\n") if line]
    parts = {"queries": texts[:options.queries], "rows": texts[options.queries:options.queries + options.rows]}
    for name, lines in parts.items():
        array = work / f"{name}.npy"
        if not array.exists():
            (work / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
            subprocess.run([options.build / "cmd/bert-embed", "-q", *options.model, "-j", str(options.threads), "--normalize", "--format",
                            "npy", "-o", array, work / f"{name}.txt"], check=True)
    np.save(work / "one.npy", np.load(work / "queries.npy")[:1])
    half = work / "half.npy"
    np.save(half, np.load(work / "rows.npy").astype(np.float16))
    return np.load(work / "rows.npy"), np.load(work / "queries.npy")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("texts")
    parser.add_argument("-m", "--model")
    parser.add_argument("--rows", type=int, default=100000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", type=Path, default=Path("/tmp/bert-codes"))
    options = parser.parse_args()
    options.model = ["-m", options.model] if options.model else []
    options.work.mkdir(parents=True, exist_ok=True)
    rows, queries = make_vectors(options, options.work)
    width = rows.shape[1]
    faiss.omp_set_num_threads(options.threads)

    def bert_search(index, *more):
        out, seconds, memory = best_of(lambda: run(
            [options.build / "cmd/bert-search", "-q", "--index", index, "-k", str(NEAREST), "-j", str(options.threads), "--precision", "3",
             *more, options.work / "queries.npy"]))
        return [[neighbor["id"] for neighbor in json.loads(line)["neighbors"]] for line in out.splitlines()], seconds, memory

    table("index", "setting", "file, MiB", "peak memory, MiB", "time", "queries/s", f"recall@{NEAREST}")
    index, half = options.work / "rows.npy", options.work / "half.npy"
    exact, seconds, memory = bert_search(index)
    report = Report(exact)
    report.row("bert-search", "f32, exact", index.stat().st_size, memory, seconds, exact)
    found, seconds, memory = bert_search(half)
    report.row("bert-search", "f16, exact", half.stat().st_size, memory, seconds, found)
    for kind in "int8", "sign":
        codes = options.work / f"rows.{kind}"
        codes.unlink(missing_ok=True)
        _, seconds, memory = run([options.build / "cmd/bert-search", "-q", "--index", index, "--codes", codes, "--code", kind,
                                  "-j", str(options.threads), "-k", "1", options.work / "one.npy"])
        print(f"| | {kind}: making the codes | {codes.stat().st_size / 2**20:.1f} | {memory / 2**20:.1f} | {seconds * 1000:.0f} ms | | |")
        for candidates in (20, 50) if kind == "int8" else (100, 200, 400):
            found, seconds, memory = bert_search(index, "--codes", codes, "--candidates", str(candidates))
            report.row("bert-search", f"{kind}, {candidates} candidates", codes.stat().st_size, memory, seconds, found)

    def faiss_row(setting, size, search):
        (_, found), seconds = best_of(lambda: timed(search))
        report.row("faiss", setting, size, 0, seconds, [list(map(int, ids)) for ids in found])

    flat = faiss.IndexFlatIP(width)
    flat.add(rows)
    faiss_row("IndexFlatIP", rows.nbytes, lambda: flat.search(queries, NEAREST))
    scalar = faiss.IndexScalarQuantizer(width, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    scalar.train(rows)
    scalar.add(rows)
    faiss_row("IndexScalarQuantizer, QT_8bit", rows.size, lambda: scalar.search(queries, NEAREST))
    bits, asked = (np.packbits(vectors > 0, axis=1) for vectors in (rows, queries))
    binary = faiss.IndexBinaryFlat(width)
    binary.add(bits)
    faiss_row("IndexBinaryFlat", bits.nbytes, lambda: binary.search(asked, NEAREST))

    def rescored(candidates):
        _, near = binary.search(asked, candidates)
        scores = np.stack([rows[ids] @ query for ids, query in zip(near, queries)])
        order = np.argsort(-scores, axis=1)[:, :NEAREST]
        return scores, np.take_along_axis(near, order, 1)
    for candidates in (100, 400):
        faiss_row(f"IndexBinaryFlat, {candidates} rescored by NumPy", bits.nbytes, lambda: rescored(candidates))


if __name__ == "__main__":
    main()
