#!/usr/bin/env python3
"""Searches vectors with faiss, which has indexes of many kinds:

  bert-embed --format npy -o texts.npy texts.jsonl
  python3 faiss-index.py build texts.npy texts.faiss
  bert-embed queries.txt | python3 faiss-index.py search texts.faiss texts.jsonl 10

`search` adds the 10 nearest `neighbors` to each query, with what the records of texts.jsonl say. Instead of texts.npy and
texts.jsonl, the folder of an index of bert-search --in may be given. Vectors are scaled to unit length, so that
the dot product, by which faiss compares them, is the cosine.

KIND, after texts.faiss, is what faiss calls the factory string. Flat, the default, compares a query with all vectors and
finds what bert-search finds. Others are faster or smaller and may miss neighbors, such as HNSW32, or IVF4096,PQ48 for
millions of vectors. texts.npy is not loaded as a whole; the index is in memory.

Needs vectors.py, NumPy and faiss (Debian: python3-faiss).
"""
import array
import json
import os
import sys

import faiss
import numpy
import vectors

BLOCK = 65536  # rows at a time
SAMPLE = 262144  # rows from which an index learns
PROBES = 16  # lists of an IVF index that a search reads


def scaled(rows):
    rows = numpy.array(rows, "<f4")
    faiss.normalize_L2(rows)
    return rows


def build(texts, path, kind):
    rows = vectors.array_of(texts)
    index = faiss.index_factory(rows.shape[1], kind, faiss.METRIC_INNER_PRODUCT)
    lists = faiss.try_extract_index_ivf(index)
    if lists:
        lists.nprobe = PROBES
    if not index.is_trained:
        index.train(scaled(rows[::-(-len(rows) // SAMPLE)]))
    for begin in range(0, len(rows), BLOCK):
        index.add(scaled(rows[begin:begin + BLOCK]))
    faiss.write_index(index, path + ".part")
    os.replace(path + ".part", path)


def search(path, texts, neighbors):
    index = faiss.read_index(path)
    with open(vectors.file_of(texts, "records"), "rb") as records:
        places, place = array.array("Q"), 0
        for line in records:
            if line.strip():
                places.append(place)
            place += len(line)
        if len(places) != index.ntotal:
            raise ValueError(f"{texts}: number of records: {len(places)}; {path} has {index.ntotal} vectors")

        def record_of(row):
            records.seek(places[row])
            return json.loads(records.readline())

        for _, query, vector in vectors.vectors_of(sys.stdin.buffer):
            vectors.require_width(vector, index.d)
            scores, rows = index.search(scaled([vector]), neighbors)
            found = sorted((-score, row) for score, row in zip(scores[0].tolist(), rows[0].tolist()) if row >= 0)
            vectors.write_answer(query, ((row, -score, record_of(row)) for score, row in found))


if __name__ == "__main__":
    options = vectors.parser_of(__doc__)
    verbs = options.add_subparsers(required=True, metavar="build|search")
    verb = verbs.add_parser("build")
    verb.set_defaults(function=build)
    verb.add_argument("texts", metavar="ARRAY|INDEX")
    verb.add_argument("path", metavar="FAISS")
    verb.add_argument("kind", metavar="KIND", nargs="?", default="Flat")
    verb = verbs.add_parser("search")
    verb.set_defaults(function=search)
    verb.add_argument("path", metavar="FAISS")
    verb.add_argument("texts", metavar="RECORDS|INDEX")
    verb.add_argument("neighbors", metavar="NEIGHBORS", nargs="?", type=int, default=5)
    vectors.run(options)
