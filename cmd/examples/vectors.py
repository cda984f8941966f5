#!/usr/bin/env python3
"""Adds the rows of an array to the records that they belong to, for programs that need both in one line:

  python3 vectors.py texts.npy texts.jsonl | sh postgresql.sh load texts
  python3 vectors.py wiki.index | sh postgresql.sh load wiki

texts.npy is from bert-embed --format npy. wiki.index is the folder of an index of bert-search --in, which has both.
Memory does not grow with their size. sqlite.py and faiss-index.py use the functions of this file. Needs NumPy (Debian:
python3-numpy).
"""
import argparse
import json
import os
import signal
import sys

import numpy


def file_of(path, name):
    """The path, or if it is the folder of an index, the file in it that index.jsonl names as its `vectors` or `records`."""
    if not os.path.isdir(path):
        return path
    with open(os.path.join(path, "index.jsonl"), "rb") as index:
        return os.path.join(path, json.loads(index.readline())[name])


def array_of(path):
    """The array [rows, width], mapped into memory."""
    name = file_of(path, "vectors")
    try:
        array = numpy.load(name, mmap_mode="r")
    except (ValueError, EOFError):
        raise ValueError(f"{name}: not an array of NumPy, as bert-embed --format npy writes it") from None
    if array.ndim != 2:
        raise ValueError(f"{name}: the array has {array.ndim} dimensions, expected 2: a row for each vector")
    return array


def vectors_of(file):
    """(line, record, vector) of each line of JSON."""
    for number, line in enumerate(file, 1):
        try:
            record = json.loads(line)
            vector = numpy.array(record["embedding"], "<f4")
        except (ValueError, TypeError, KeyError):
            vector = numpy.array(0)
        if vector.ndim != 1:
            raise ValueError(f"-:{number}: expected a record with an array `embedding`, as bert-embed writes it")
        yield line.decode(), record, vector


def require_width(vector, width):
    if len(vector) != width:
        raise ValueError(f"a vector has {len(vector)} numbers, those before it have {width}")


def write(record):
    sys.stdout.buffer.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def write_answer(query, found):
    """Writes the record of a query as bert-search does; a neighbor is (row, score, record)."""
    answer = {name: value for name, value in query.items() if name not in ("embedding", "embedding_model")}
    answer["neighbors"] = []
    for row, score, record in found:
        id = row if record.get("id") is None else record["id"]
        answer["neighbors"].append({"id": id, "score": round(score, 7), "text": record.get("text")})
    write(answer)


def parser_of(text):
    return argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)


def run(parser, function=None):
    """Calls the function with the arguments of the command line; an error is one line and exit code 1."""
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    arguments = vars(parser.parse_args())
    try:
        (function or arguments.pop("function"))(**arguments)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python would report at its end that it cannot write what is left
        sys.exit(f"{parser.prog}: {error.filename or 'stdout'}: {error.strerror}")
    except Exception as error:  # also those of SQLite and faiss
        sys.exit(f"{parser.prog}: {error}")


def join(array, records):
    rows = array_of(array)
    name = file_of(records or array, "records")
    count = 0
    with open(name, "rb") as file:
        for count, line in enumerate(filter(bytes.strip, file), 1):
            if count <= len(rows):
                write({**json.loads(line), "embedding": rows[count - 1].tolist()})
    if count != len(rows):
        raise ValueError(f"{name}: number of records: {count}; the array has {len(rows)} rows")


if __name__ == "__main__":
    options = parser_of(__doc__)
    options.add_argument("array", metavar="ARRAY|INDEX")
    options.add_argument("records", metavar="RECORDS", nargs="?")
    run(options, join)
