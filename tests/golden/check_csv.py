#!/usr/bin/python3
"""Compares the tools' CSV with Python's csv module: generated tables as input, and records as output.

Usage: check_csv.py TOOLS_DIRECTORY
"""
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile

TABLES = 3000
TABLES_OF_A_RUN = 250
WORDS = ["a", "kings", " ", ",", '"', '""', "\n", "\r\n", "\t", "é", "日本", "'", ";", "x" * 300, '"\n"', ",\n,", "{", "#"]


def cell(chance):
    return "".join(chance.choice(WORDS) for _ in range(chance.choice([0, 1, 1, 2, 3, 6])))


def table(chance):
    """The bytes of a table with the column `text`: quoted as needed or everywhere, with either line end."""
    columns = ["text", *chance.sample(["id", "label", "a, b", 'say "c"', "two\nlines", ""], chance.randrange(4))]
    chance.shuffle(columns)
    rows = [[cell(chance) for _ in columns] for _ in range(chance.choice([0, 1, 3, 10, 40]))]
    text = io.StringIO()
    quoting = chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    writer = csv.writer(text, lineterminator=chance.choice(["\n", "\r\n"]), quoting=quoting)
    for row in [columns, *rows]:
        writer.writerow(row)
        if chance.random() < 0.05 and len(columns) > 1:
            text.write("\n")
    written = text.getvalue()
    if chance.random() < 0.3:
        written = written.removesuffix("\n").removesuffix("\r")
    return (b"\xef\xbb\xbf" if chance.random() < 0.2 else b"") + written.encode()


def rows_of(data):
    """Columns without a name are left out."""
    rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    return [{name: value for name, value in row.items() if name} for row in rows]


def tokenize(tools, vocabulary, *options, data=None):
    command = [os.path.join(tools, "bert-tokenize"), "--vocab", vocabulary, *options]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def records_of(lines):
    records = [json.loads(line) for line in lines.splitlines()]
    for record in records:
        del record["input_ids"]
    return records


def check_equal(what, actual, expected):
    if actual == expected:
        return
    for number, (one, other) in enumerate(zip(actual, expected)):
        if one != other:
            sys.exit(f"{what}: record {number} is {one!r}, expected {other!r}")
    sys.exit(f"{what}: {len(actual)} records, expected {len(expected)}")


def check_input(tools, vocabulary, directory, chance):
    """Tables as FILEs, many in a run and any number of threads, and one by one from a pipe."""
    tables = [table(chance) for _ in range(TABLES)]
    names = [os.path.join(directory, f"{i}.csv") for i in range(TABLES)]
    for name, data in zip(names, tables):
        with open(name, "wb") as file:
            file.write(data)
    for begin in range(0, TABLES, TABLES_OF_A_RUN):
        part = slice(begin, begin + TABLES_OF_A_RUN)
        expected = [row for data in tables[part] for row in rows_of(data)]
        lines = tokenize(tools, vocabulary, "--threads", str(chance.choice([1, 2, 5])), *names[part])
        check_equal(f"tables {begin} to {begin + TABLES_OF_A_RUN}", records_of(lines), expected)
    for data in tables[:100]:
        lines = tokenize(tools, vocabulary, "--input-format", "csv", data=data)
        check_equal(repr(data), records_of(lines), rows_of(data))


def check_chunks(tools, vocabulary, chance):
    """One table of many chunks of the stream (256 KiB), with quoted line ends on their borders."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["id", "text"])
    writer.writerows([number, cell(chance) * chance.choice([1, 20])] for number in range(30000))
    data = text.getvalue().encode()
    lines = tokenize(tools, vocabulary, "--input-format", "csv", "--threads", "3", data=data)
    check_equal("the long table", records_of(lines), rows_of(data))


def check_output(tools, vocabulary, chance):
    """Records written as a table and read by Python, and by the tool itself."""
    for width in [1, 1, 2, 4]:
        records = [{"text": cell(chance), **{f"{i},": cell(chance) for i in range(width - 1)}} for _ in range(500)]
        lines = "".join(json.dumps(record) + "\n" for record in records).encode()
        written = tokenize(tools, vocabulary, "--format", "csv", "--drop", "input_ids", data=lines)
        check_equal(f"a table of {width} columns", rows_of(written), records)
        again = tokenize(tools, vocabulary, "--input-format", "csv", data=written)
        check_equal(f"a table of {width} columns, read again", records_of(again), records)


def main():
    tools = sys.argv[1]
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as directory:
        vocabulary = os.path.join(directory, "vocab.txt")
        with open(vocabulary, "w", encoding="utf-8") as file:
            file.write("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nkings\n")
        check_input(tools, vocabulary, directory, chance)
        check_chunks(tools, vocabulary, chance)
        check_output(tools, vocabulary, chance)


if __name__ == "__main__":
    main()
