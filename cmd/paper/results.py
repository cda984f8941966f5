#!/usr/bin/python3
"""Writes a table of the paper beside the figures of the same experiment here (Markdown).

    results.py TABLE OUT --rows 'MODEL ...' --tasks 'TASK ...' [--bert NAME] [--points FILE]

TABLE is table-1 to table-8 or steps. OUT/runs/MODEL/TASK/table.tsv has the mean and the standard deviation over the
seeds (examples/sweep.mk), OUT/models/MODEL.dev.json the loss on held-out texts. For each ordering that the paper
reports, a line says whether it is seen here: yes if the difference of the means exceeds the larger deviation, clearly
if it exceeds their sum. FILE gets the figures for gnuplot.
"""
import argparse
import csv
import json
import math
import sys
from pathlib import Path

TASKS = {"sst2": "SST-2", "cola": "CoLA", "mrpc": "MRPC", "stsb": "STS-B", "rte": "RTE", "qnli": "QNLI",
         "squad1": "SQuAD 1.1, F1", "squad2": "SQuAD 2.0, F1", "swag": "multiple choice", "conll": "NER, F1", "ner": "NER, F1",
         "conll-features": "NER on features, F1"}

ROWS = {"random": "random weights", "model": "pre-trained", "ensemble": "pre-trained, ensemble of all seeds",
        "no-nsp": "no NSP", "ltr": "left-to-right, no NSP", "document": "fine-tuned, in their document",
        "embeddings": "features: embeddings", "second-to-last": "features: second to last layer", "last": "features: last layer",
        "weighted-four": "features: weighted sum of the last four", "concat-four": "features: last four, concatenated",
        "weighted-all": "features: weighted sum of all"}
BERT = {"table-5": "MLM and NSP", "table-8": "80-10-10"}  # the row `bert`; in other tables --bert

# The tables of Devlin et al. 2018, as far as the tasks here correspond.
PAPER = {
    "table-1": [["model (test)", "SST-2", "CoLA", "MRPC, F1", "STS-B", "RTE", "QNLI"],
                ["BERT-base", 93.5, 52.1, 88.9, 85.8, 66.4, 90.5],
                ["BERT-large", 94.9, 60.5, 89.3, 86.5, 70.1, 92.7]],
    "table-2": [["model (dev)", "SQuAD 1.1, F1"],
                ["BERT-base", 88.5],
                ["BERT-large", 90.9],
                ["BERT-large, ensemble of 7", 91.8],
                ["BERT-large, after TriviaQA", 91.1],
                ["BERT-large, ensemble of 7, after TriviaQA", 92.2]],
    "table-3": [["model (dev)", "SQuAD 2.0, F1"], ["BERT-large", 81.9]],
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
    "table-7": [["BERT-base (dev)", "NER, F1"],
                ["fine-tuned, in their document", 96.4],
                ["features: embeddings", 91.0],
                ["features: second to last layer", 95.6],
                ["features: last layer", 94.9],
                ["features: weighted sum of the last four", 95.9],
                ["features: last four, concatenated", 96.1],
                ["features: weighted sum of all 12", 95.5]],
    "table-8": [["mask-same-random (dev)", "MNLI", "NER, F1", "NER on features, F1"],
                ["80-10-10", 84.2, 95.4, 94.9],
                ["100-0-0", 84.3, 94.9, 94.0],
                ["80-0-20", 84.1, 95.2, 94.6],
                ["80-20-0", 84.4, 95.2, 94.7],
                ["0-20-80", 83.7, 94.8, 94.6],
                ["0-0-100", 83.6, 94.9, 94.6]],
    "steps": [["steps (dev)", "MNLI"], ["500,000", "about 1.0 lower"], ["1,000,000", 84.4]],
}

# The orderings: the first model is better than the second on each of the tasks. Elsewhere, each row is better than
# the one before it.
ORDERINGS = {
    "table-1": [("model", "random")],
    "table-2": [("model", "random"), ("ensemble", "model")],
    "table-3": [("model", "random")],
    "table-4": [("model", "random")],
    "table-5": [("bert", "no-nsp"), ("no-nsp", "ltr")],
    "table-7": [("model", "random"), ("document", "model"), ("concat-four", "last"), ("last", "embeddings"), ("model", "concat-four")],
    "table-8": [("bert", "mask-100-0-0"), ("mask-80-10-10", "mask-100-0-0")],
}


def cell(out, model, task):
    """Mean and standard deviation (None for a single run), in percent, of the setting that is best on the dev set."""
    with open(out / "runs" / model / task / "table.tsv", encoding="utf-8") as file:
        best = next(csv.DictReader(file, delimiter="\t"))
    factor = 1 if task.startswith("squad") else 100
    deviation = float(best["deviation"]) * factor if best["deviation"] != "-" else None
    return float(best["mean"]) * factor, deviation


def ordering(name, figures, tasks, better, worse):
    words = []
    for task in tasks:
        high, low = figures[better, task][0], figures[worse, task][0]
        deviations = [figures[row, task][1] for row in (better, worse)]
        if None in deviations:
            words.append(f"{TASKS[task]} {high - low:+.1f} (one seed)")
            continue
        difference = abs(high - low)
        seen = "no" if difference <= max(deviations) else "yes" if high > low else "the opposite"
        clearly = ", clearly" if seen != "no" and difference > sum(deviations) else ""
        words.append(f"{TASKS[task]} {high - low:+.1f} ({seen}{clearly})")
    return f"- {name(better)} > {name(worse)}: " + ", ".join(words) + "\n"


def print_table(lines):
    head, *rows = [[str(part) for part in line] for line in lines]
    print("".join("| " + " | ".join(line) + " |\n" for line in [head, ["---"] * len(head), *rows]))


def write_points(path, name, rows, tasks, figures):
    """A row for each model: its name, then mean and deviation on each task."""
    with open(path, "w", encoding="utf-8") as file:
        print("model", *[f"{TASKS[task]}\t" for task in tasks], sep="\t", file=file)
        for row in rows:
            print(name(row), *[f"{figures[row, task][0]:.3f}\t{figures[row, task][1] or 0:.3f}" for task in tasks], sep="\t", file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=PAPER)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", required=True, type=str.split)
    parser.add_argument("--tasks", required=True, type=str.split)
    parser.add_argument("--bert", default="bert", help="name of the model `bert` in tables without a name of their own")
    parser.add_argument("--points", type=Path)
    options = parser.parse_args()
    rows, tasks, table = options.rows, options.tasks, options.table

    def name(row):
        if row == "bert":
            return BERT.get(table, options.bert)
        if row == "model" and table == "table-7":
            return "fine-tuned, single sentences"
        for prefix in "size-", "mask-", "step-":
            row = row.removeprefix(prefix)
        return ROWS.get(row, row)

    try:
        figures = {(row, task): cell(options.out, row, task) for row in rows for task in tasks}
    except (OSError, StopIteration, KeyError, ValueError) as error:
        sys.exit(f"results.py: {table}: {error}")
    measured = table == "table-6"
    lines = [["model", *(["perplexity"] if measured else []), *[TASKS[task] for task in tasks]]]
    for row in rows:
        line = [name(row)]
        if measured:
            loss = json.loads((options.out / "models" / f"{row}.dev.json").read_text())["dev_mlm_loss"]
            line.append(f"{math.exp(loss):.2f}")
        for task in tasks:
            mean, deviation = figures[row, task]
            line.append(f"{mean:.1f}" + (f" ± {deviation:.1f}" if deviation is not None else ""))
        lines.append(line)
    print_table(lines)
    print("In the paper:\n")
    print_table(PAPER[table])
    orderings = [pair for pair in ORDERINGS.get(table, zip(rows[1:], rows)) if set(pair) <= set(rows)]
    print("Orderings:\n")
    print("".join(ordering(name, figures, tasks, *pair) for pair in orderings), end="")
    if options.points:
        write_points(options.points, name, rows, tasks, figures)


if __name__ == "__main__":
    main()
