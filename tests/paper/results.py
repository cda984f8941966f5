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

# The tables of Devlin et al. 2018, as far as the tasks here correspond.
PAPER = {
    "table-1": [["model (test)", "SST-2", "CoLA", "MRPC", "STS-B", "RTE", "QNLI"],
                ["BERT-base", 93.5, 52.1, 88.9, 85.8, 66.4, 90.5],
                ["BERT-large", 94.9, 60.5, 89.3, 86.5, 70.1, 92.7]],
    "table-4": [["model (dev)", "SWAG"], ["BERT-base", 81.6], ["BERT-large", 86.6]],
    "table-5": [["model (dev)", "QNLI", "MRPC", "SST-2", "SQuAD 1.1, F1"],
                ["BERT-base", 88.4, 86.7, 92.7, 88.5],
                ["no NSP", 84.9, 86.5, 92.6, 87.9],
                ["left-to-right, no NSP", 84.3, 77.5, 92.1, 77.8]],
    "table-6": [["layers-hidden-heads (dev)", "perplexity", "MRPC", "SST-2"],
                ["3-768-12", 5.84, 79.8, 88.4],
                ["6-768-3", 5.24, 82.2, 90.7],
                ["6-768-12", 4.68, 84.8, 91.3],
                ["12-768-12", 3.99, 86.7, 92.9],
                ["12-1024-16", 3.54, 86.9, 93.3],
                ["24-1024-16", 3.23, 87.8, 93.7]],
    "table-8": [["mask-same-random (dev)", "MNLI", "NER, F1"],
                ["80-10-10", 84.2, 95.4],
                ["100-0-0", 84.3, 94.9],
                ["80-0-20", 84.1, 95.2],
                ["80-20-0", 84.4, 95.2],
                ["0-20-80", 83.7, 94.8],
                ["0-0-100", 83.6, 94.9]],
    "steps": [["steps (dev)", "MNLI"], ["500,000", "about 1.0 lower"], ["1,000,000", 84.4]],
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


def print_table(lines):
    head, *rows = [[str(part) for part in line] for line in lines]
    print("".join("| " + " | ".join(line) + " |\n" for line in [head, ["---"] * len(head), *rows]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=PAPER)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", required=True, type=str.split)
    parser.add_argument("--tasks", required=True, type=str.split)
    options = parser.parse_args()
    rows, tasks = options.rows, options.tasks
    figures = {(row, task): cell(options.out, row, task) for row in rows for task in tasks}
    measured = options.table == "table-6"
    heads = ["model", *(["perplexity"] if measured else []), *[TASKS[task] for task in tasks]]
    lines = [heads]
    for row in rows:
        line = [row]
        if measured:
            loss = json.loads((options.out / "models" / f"{row}.dev.json").read_text())["dev_mlm_loss"]
            line.append(f"{math.exp(loss):.2f}")
        for task in tasks:
            mean, deviation = figures[row, task]
            line.append(f"{mean:.1f} ± {deviation:.1f}")
        lines.append(line)
    print_table(lines)
    print("In the paper:\n")
    print_table(PAPER[options.table])
    orderings = ORDERINGS.get(options.table) or list(zip(rows[1:], rows))
    print("".join(ordering(figures, tasks, *pair) for pair in orderings), end="")


if __name__ == "__main__":
    main()
