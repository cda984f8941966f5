#!/usr/bin/python3
"""Runs bert-embed and bert-predict on the texts for the small models and compares with tests/golden/tools.

usage: check_tools.py DIRECTORY_OF_THE_TOOLS

Numbers may differ by slightly more than the rounding of the expected ones, 5e-5 (numbers above 10,
perplexities, by that fraction of a tenth of their value); everything else must be equal. The fields of the
input must come first and unchanged; then the expected fields and no others. Does not need PyTorch.
"""
import itertools
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 6e-5


def difference(found, expected, place=""):
    """The first difference as text, or None."""
    if isinstance(expected, float) and isinstance(found, (int, float)) and not isinstance(found, bool):
        tolerance = TOLERANCE * max(1, abs(expected) / 10)
        return None if abs(found - expected) <= tolerance else f"{place}: {found}, expected {expected}"
    if type(found) is not type(expected):
        return f"{place}: {found!r}, expected {expected!r}"
    if isinstance(expected, dict):
        if list(found) != list(expected):
            return f"{place}: fields {list(found)}, expected {list(expected)}"
        pairs = [(f"{place}.{key}", found[key], expected[key]) for key in expected]
    elif isinstance(expected, list):
        if len(found) != len(expected):
            return f"{place}: {len(found)} elements, expected {len(expected)}"
        pairs = [(f"{place}[{number}]", *both) for number, both in enumerate(zip(found, expected))]
    else:
        return None if found == expected else f"{place}: {found!r}, expected {expected!r}"
    return next(filter(None, (difference(one, other, where) for where, one, other in pairs)), None)


def answer_difference(answer, line):
    """The same for a whole record, whose new fields may be in any order."""
    own = list(line["input"])
    if list(answer)[: len(own)] != own:
        return f"begins with the fields {list(answer)[:len(own)]}, expected {own}"
    expected = line["input"] | line["output"]
    if "embedding" in line["output"]:
        answer.pop("embedding_model", None)  # depends on the weights, not on the reference
    if set(answer) != set(expected):
        return f"fields {list(answer)}, expected {list(expected)}"
    return difference({key: answer[key] for key in expected}, expected)


def check_group(tools, model, tool, options, lines):
    """The differences in one run of a tool over all records with the same options."""
    directory = os.path.join(HERE, "models", model)
    command = [os.path.join(tools, tool), "-m", directory, "--input-format", "jsonl", *options]
    records = "".join(json.dumps(line["input"]) + "\n" for line in lines)
    done = subprocess.run(command, input=records.encode(), stdout=subprocess.PIPE, check=False)
    answers = done.stdout.decode().splitlines()
    what = " ".join([tool, "-m", model, *options])
    if done.returncode != 0 or len(answers) != len(lines):
        return [f"{what}: exit {done.returncode}, {len(answers)} of {len(lines)} records"]
    found = []
    for line, answer in zip(lines, answers):
        wrong = answer_difference(json.loads(answer), line)
        if wrong:
            found.append(f"{what}: {line['input']}: {wrong}")
    return found


def check_all(tools):
    """Prints all differences; returns 0 if there are none, else 1."""
    failures = []
    count = 0
    for file in sorted(os.listdir(os.path.join(HERE, "tools"))):
        with open(os.path.join(HERE, "tools", file), encoding="utf-8") as text:
            lines = [json.loads(line) for line in text]
        for (tool, options), group in itertools.groupby(lines, lambda line: (line["tool"], line["options"])):
            group = list(group)
            count += len(group)
            failures += check_group(tools, file.removesuffix(".jsonl"), tool, options, group)
    print("\n".join([*failures, f"{count} records, {len(failures)} failures"]))
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: check_tools.py DIRECTORY_OF_THE_TOOLS")
    sys.exit(check_all(sys.argv[1]))
