#!/usr/bin/python3
"""Writes a table of the paper beside the figures of the same experiment here (Markdown).

    results.py TABLE OUT --rows 'MODEL ...' --tasks 'TASK ...'

TABLE is table-1, table-4, table-5, table-6, table-8 or steps. OUT/runs/MODEL/TASK/table.tsv has the mean and the
standard deviation over the seeds (cookbook/sweep.mk), OUT/models/MODEL.dev.json the loss on held-out texts. For each
ordering that the paper reports, a line says whether it is seen here: yes if the difference of the means exceeds the
sum of both deviations.
"""
import argparse
import csv
import json
import math
from pathlib import Path

TASKS = {"sst2": "SST-2", "cola": "CoLA", "mrpc": "MRPC", "stsb": "STS-B", "rte": "RTE", "qnli": "QNLI",
         "squad1": "SQuAD 1.1, F1", "swag": "multiple choice", "conll": "NER, F1"}

# Devlin et al. 2018: table -> row here -> (the paper's row, task -> its figure).
PAPER = {
    "table-1": {"model": ("BERT-base, test", {"qnli": 90.5, "sst2": 93.5, "cola": 52.1, "stsb": 85.8, "mrpc": 88.9,
                                             "rte": 66.4})},
    "table-4": {"model": ("BERT-base", {"swag": 81.6})},
    "table-5": {"bert": ("BERT-base", {"qnli": 88.4, "mrpc": 86.7, "sst2": 92.7, "squad1": 88.5}),
                "no-nsp": ("no NSP", {"qnli": 84.9, "mrpc": 86.5, "sst2": 92.6, "squad1": 87.9}),
                "ltr": ("left-to-right, no NSP", {"qnli": 84.3, "mrpc": 77.5, "sst2": 92.1, "squad1": 77.8})},
    "table-6": {},
    "table-8": {"bert": ("80 / 10 / 10", {"conll": 95.4}), "mask-100-0-0": ("100 / 0 / 0", {"conll": 94.9}),
                "mask-80-0-20": ("80 / 0 / 20", {"conll": 95.2}), "mask-80-20-0": ("80 / 20 / 0", {"conll": 95.2}),
                "mask-0-20-80": ("0 / 20 / 80", {"conll": 94.8}), "mask-0-0-100": ("0 / 0 / 100", {"conll": 94.9})},
    "steps": {},
}

# The orderings: the first model is better than the second on each of the tasks.
ORDERINGS = {
    "table-1": [("model", "random")],
    "table-4": [("model", "random")],
    "table-5": [("bert", "untrained"), ("bert", "no-nsp"), ("no-nsp", "ltr")],
    "table-8": [("bert", "mask-100-0-0")],
}


def cell(out, model, task):
    """Mean and standard deviation, in percent, of the setting that is best on the dev set."""
    with open(out / "runs" / model / task / "table.tsv", encoding="utf-8") as file:
        best = next(csv.DictReader(file, delimiter="\t"))
    factor = 1 if task.startswith("squad") else 100
    deviation = float(best["deviation"]) if best["deviation"] != "-" else math.nan
    return float(best["mean"]) * factor, deviation * factor


def ordering(figures, tasks, better, worse):
    words = []
    for task in tasks:
        (high, high_deviation), (low, low_deviation) = figures[better, task], figures[worse, task]
        clear = abs(high - low) > high_deviation + low_deviation
        seen = ("yes" if high > low else "no, the opposite") if clear else "within the deviations"
        words.append(f"{TASKS[task]} {high - low:+.1f} ({seen})")
    return f"- {better} better than {worse}: " + ", ".join(words) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=PAPER)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", required=True, type=str.split)
    parser.add_argument("--tasks", required=True, type=str.split)
    options = parser.parse_args()
    rows, tasks, paper = options.rows, options.tasks, PAPER[options.table]
    figures = {(row, task): cell(options.out, row, task) for row in rows for task in tasks}
    measured = options.table == "table-6"
    heads = ["model", *(["perplexity"] if measured else []), *[TASKS[task] for task in tasks]]
    lines = [heads, ["---"] * len(heads)]
    for row in rows:
        line = [row]
        if measured:
            loss = json.loads((options.out / "models" / f"{row}.dev.json").read_text())["dev_mlm_loss"]
            line.append(f"{math.exp(loss):.2f}")
        for task in tasks:
            mean, deviation = figures[row, task]
            line.append(f"{mean:.1f} ± {deviation:.1f}")
            if task in paper.get(row, ("", {}))[1]:
                line[-1] += f" (paper: {paper[row][1][task]})"
        lines.append(line)
    print("".join("| " + " | ".join(line) + " |\n" for line in lines))
    orderings = ORDERINGS.get(options.table) or list(zip(rows[1:], rows))
    print("".join(ordering(figures, tasks, *pair) for pair in orderings), end="")


if __name__ == "__main__":
    main()
