#!/usr/bin/env python3
"""Compares the folds and shares of bert-train with those of scikit-learn on random distributions of labels.

usage: check_split.py DIRECTORY_OF_THE_TOOLS [CASES]     (needs scikit-learn)

As StratifiedKFold does, folds differ from an equal part of each label by less than 1 record. With groups, which are never
divided, the spread of the labels over folds is on average at most that of StratifiedGroupKFold.
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    from sklearn import model_selection
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

warnings.filterwarnings("ignore")
MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models", "bare")


def random_records(draw, folds):
    """Labels from equal to very unequal counts, some rarer than there are folds; groups from small to large."""
    labels = [f"l{i}" for i in range(draw.randint(2, 6))]
    weights = [draw.random() ** draw.choice([0, 1, 4]) for _ in labels]
    count = draw.randint(4 * folds, 150)
    drawn = labels[:2] + draw.choices(labels, weights, k=count - 2)
    draw.shuffle(drawn)
    groups = draw.randint(2 * folds, max(2 * folds, count // 2))
    of_label = {label: draw.randrange(groups) for label in labels}  # some groups have mostly one label
    pick = lambda label: of_label[label] if draw.random() < 0.1 else int(groups * draw.random() ** 1.5)
    return [{"text": f"king {i}", "label": label, "group": f"g{pick(label)}"} for i, label in enumerate(drawn)]


class Splitter:
    def __init__(self, tools, folder):
        self.tool = os.path.join(tools, "bert-train")
        self.folder = folder

    def held_out(self, records, options):
        """The places of the records that are held out."""
        path, held = (os.path.join(self.folder, name) for name in ("records.jsonl", "held.jsonl"))
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
        done = subprocess.run([self.tool, "-q", "--task", "classify", "-m", MODEL, "--check", "--held-out", held, *options, path],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        with open(held, encoding="utf-8") as file:
            return [int(json.loads(line)["text"].split()[1]) for line in file]

    def folds(self, records, count, *options):
        return [self.held_out(records, ["--fold", f"{i}/{count}", *options]) for i in range(1, count + 1)]


def counts_of(records, fold):
    return collections.Counter(records[i]["label"] for i in fold)


def distances(records, folds):
    """How far each label's number in each fold is from an equal part."""
    all_counts = counts_of(records, range(len(records)))
    return [abs(counts_of(records, fold)[label] - count / len(folds)) for fold in folds for label, count in all_counts.items()]


def spread(records, folds):
    """What StratifiedGroupKFold minimizes: the standard deviation of each label's shares, the mean over labels."""
    all_counts = counts_of(records, range(len(records)))
    return np.mean([np.std([counts_of(records, fold)[label] / count for fold in folds]) for label, count in all_counts.items()])


def main():
    tools, cases = os.path.abspath(sys.argv[1]), int((sys.argv[2:] or [200])[0])
    draw = random.Random(45)
    failures, ours, theirs, largest = [], [], [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        splitter = Splitter(tools, folder)
        for case in range(cases):
            count, seed = draw.randint(2, 6), draw.randrange(1000)
            records = random_records(draw, count)
            labels, groups = ([record[field] for record in records] for field in ("label", "group"))
            expect = lambda right, what: right or failures.append(f"case {case}: {what}")

            folds = splitter.folds(records, count, "--seed", str(seed))
            expect(sorted(sum(folds, [])) == list(range(len(records))), "a record is not in exactly one fold")
            largest = max(largest, *distances(records, folds))
            expect(max(distances(records, folds)) < 1, f"labels {distances(records, folds)}")
            expect(max(map(len, folds)) - min(map(len, folds)) <= 1, f"sizes {list(map(len, folds))}")
            made = [fold for _, fold in model_selection.StratifiedKFold(count, shuffle=True, random_state=seed).split(labels, labels)]
            expect(max(distances(records, made)) < 1, "scikit-learn divides labels otherwise")

            share = draw.choice([0.1, 0.2, 0.35, 0.5])
            held = splitter.held_out(records, ["--split", str(share), "--seed", str(seed)])
            for label, number in counts_of(records, range(len(records))).items():
                got = counts_of(records, held)[label]
                expect(abs(got - share * number) < 1 and (number > 1 or got == 0), f"{share} of {number} {label}: {got}")

            folds = splitter.folds(records, count, "--split-by", "group")
            expect(sorted(sum(folds, [])) == list(range(len(records))), "a record is not in exactly one fold of groups")
            parts = [{groups[i] for i in fold} for fold in folds]
            expect(sum(map(len, parts)) == len(set(groups)), "a group is divided")
            made = [fold for _, fold in model_selection.StratifiedGroupKFold(count).split(labels, labels, groups)]
            ours.append(spread(records, folds))
            theirs.append(spread(records, made))
    if np.mean(ours) > np.mean(theirs):
        failures.append("the labels of groups are divided less evenly than by scikit-learn")
    for failure in failures[:20]:
        print("FAILED:", failure)
    print(f"{cases} distributions, {len(failures)} failures; largest distance of a label from an equal part {largest:.3g}; "
          f"spread over folds of groups {np.mean(ours):.4f}, scikit-learn {np.mean(theirs):.4f}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
