#!/usr/bin/python3
"""Prints how well sentence vectors of models know meaning (Markdown).

    /usr/bin/python3 tests/bench/meaning.py BUILD_DIR -m MODEL [-m MODEL]... [--stsb STS-B/dev.tsv]

Columns: Spearman's correlation x 100 of cosine and score on STS-B; the share of 2,000 pairs of synonyms of WordNet
(synonyms.tsv: a word, a synonym, and another word of like frequency) in which the synonym is nearer than the other word;
and how many of 202 texts (paraphrases.tsv) are nearer to a paraphrase that shares no word of meaning with them than to a
decoy that shares words but not the sense. Chance is 50 % for synonyms; a bag of words has 0 paraphrases.
"""
import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from bench import row, table

HERE = Path(__file__).parent


def rows(path, first, header):
    return [line.split("\t")[first:] for line in path.read_text(encoding="utf-8").splitlines()[header:]]


def vectors(tool, model, groups):
    """Vectors [len(groups), texts of a group, n] of unit length."""
    with tempfile.TemporaryDirectory() as folder:
        texts, out = Path(folder) / "texts.txt", Path(folder) / "vectors.npy"
        texts.write_text("".join(f"{text}\n" for group in groups for text in group), encoding="utf-8")
        subprocess.run([tool, "-m", model, "--normalize", "--format", "npy", "-o", out, texts], check=True)
        found = np.load(out)
    return found.reshape(len(groups), -1, found.shape[1])


def right(found):
    """Groups whose second vector is nearer to the first than the third is."""
    return ((found[:, 0] * found[:, 1]).sum(1) > (found[:, 0] * found[:, 2]).sum(1)).sum()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("-m", "--model", action="append", required=True)
    parser.add_argument("--stsb", type=Path)
    options = parser.parse_args()
    synonyms, paraphrases = rows(HERE / "synonyms.tsv", 0, 0), rows(HERE / "paraphrases.tsv", 1, 1)
    pairs = [line for line in rows(options.stsb, 7, 1) if len(line) >= 3] if options.stsb else []
    table("model", "STS-B", "synonyms", "paraphrases")
    for model in options.model:
        found = [vectors(options.build / "cmd/bert-embed", model, groups) for groups in (synonyms, paraphrases)]
        correlation = "-"
        if pairs:
            both = vectors(options.build / "cmd/bert-embed", model, [pair[:2] for pair in pairs])
            correlation = f"{100 * spearmanr((both[:, 0] * both[:, 1]).sum(1), [float(pair[2]) for pair in pairs]).statistic:.1f}"
        row(Path(model).name, correlation, f"{100 * right(found[0]) / len(synonyms):.1f} %",
            f"{right(found[1])} of {len(paraphrases)}")


if __name__ == "__main__":
    main()
