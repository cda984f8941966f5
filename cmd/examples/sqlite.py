#!/usr/bin/env python3
"""Keeps records and their vectors in an SQLite database, and searches them there:

  bert-embed texts.jsonl | python3 sqlite.py load texts.db          creates texts.db, or adds to it
  bert-embed queries.txt | python3 sqlite.py search texts.db 10     adds the 10 nearest `neighbors` to each query

The table `texts` has `row`, counted from 0, `record`, which is the JSON without the vector, its `text`, and `embedding`,
a BLOB of little-endian 32-bit floats, which the extension sqlite-vec can read, too. A search finds what bert-search
finds. It compares a query with all vectors, by the SQL function `cosine` of this file, which does not depend on the
length of vectors. The words of the texts are in the full-text index `words`, for the shell of SQLite, too:

  sqlite3 texts.db "SELECT text FROM words WHERE words MATCH 'soup' ORDER BY rank"

A load that fails changes nothing. Needs vectors.py, SQLite 3.38 and NumPy (Debian: python3-numpy).
"""
import contextlib
import json
import math
import sqlite3
import sys
import urllib.parse

import numpy
import vectors

# Words are without case and with accents, as those of bert-search --lexical.
SCHEMA = ("CREATE TABLE IF NOT EXISTS texts (row INTEGER PRIMARY KEY, record TEXT NOT NULL, embedding BLOB NOT NULL, "
          "text AS (record ->> 'text'))",
          "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content = texts, content_rowid = row, "
          "tokenize = 'unicode61 remove_diacritics 0')")
NEAREST = "SELECT row, cosine(embedding, ?) AS score, record FROM texts ORDER BY score DESC, row LIMIT ?"


def cosine(a, b):
    a, b = numpy.frombuffer(a, "<f4"), numpy.frombuffer(b, "<f4")
    lengths = math.sqrt((a @ a) * (b @ b))
    return float(a @ b) / lengths if lengths else 0.0


@contextlib.contextmanager
def opened(path, mode):
    try:
        name = f"file:{urllib.parse.quote(path)}?mode={mode}"
        with contextlib.closing(sqlite3.connect(name, uri=True, isolation_level=None)) as database:
            database.create_function("cosine", 2, cosine, deterministic=True)
            yield database
    except sqlite3.Error as error:
        raise ValueError(f"{path}: {error}") from None


def require_width(database, vector):
    for (size,) in database.execute("SELECT length(embedding) FROM texts LIMIT 1"):
        vectors.require_width(vector, size // 4)


def load(path):
    with opened(path, "rwc") as database:
        database.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA:
            database.execute(statement)
        first = row = database.execute("SELECT coalesce(max(row) + 1, 0) FROM texts").fetchone()[0]
        for line, _, vector in vectors.vectors_of(sys.stdin.buffer):
            require_width(database, vector)
            database.execute("INSERT INTO texts (row, record, embedding) VALUES (?, json_remove(?, '$.embedding'), ?)",
                             (row, line, vector.tobytes()))
            row += 1
        database.execute("INSERT INTO words (rowid, text) SELECT row, text FROM texts WHERE row >= ?", (first,))
        database.execute("COMMIT")


def search(path, neighbors):
    with opened(path, "ro") as database:
        for _, query, vector in vectors.vectors_of(sys.stdin.buffer):
            require_width(database, vector)
            found = database.execute(NEAREST, (vector.tobytes(), neighbors))
            vectors.write_answer(query, ((row, score, json.loads(record)) for row, score, record in found))


if __name__ == "__main__":
    options = vectors.parser_of(__doc__)
    verbs = options.add_subparsers(required=True, metavar="load|search")
    for function in (load, search):
        verb = verbs.add_parser(function.__name__)
        verb.set_defaults(function=function)
        verb.add_argument("path", metavar="DATABASE")
    verb.add_argument("neighbors", metavar="NEIGHBORS", nargs="?", type=int, default=5)
    vectors.run(options)
