#!/usr/bin/python3
"""Compares vocabularies of bert-vocab --criterion frequency and Hugging Face's WordPiece trainer.

usage: check_vocabulary.py DIRECTORY_OF_THE_TOOLS [TEXT...]

Without TEXT, the project's own documentation is used. Hugging Face's trainer is that of the npm package
tokenizers in $NPM_DIR (npm install --ignore-scripts tokenizers); without it the check is skipped. Its
vocabularies vary between runs: it numbers the continuation characters in hash table order and breaks ties
between pairs by these numbers. So the same algorithm, implemented below, is run twice: with the order of
Hugging Face's run it must reproduce the whole of that vocabulary, and with the order of bert-vocab the whole
of ours.
"""
import collections
import glob
import heapq
import itertools
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SIZE = 30000  # the trainer's default, which cannot be changed from JavaScript
SPECIALS = 5

TRAIN = """
const {Tokenizer, WordPiece, bertNormalizer, bertPreTokenizer} = require("tokenizers");
const tokenizer = new Tokenizer(WordPiece.empty());
tokenizer.setNormalizer(bertNormalizer());
tokenizer.setPreTokenizer(bertPreTokenizer());
tokenizer.train(process.argv.slice(2));
const ids = tokenizer.getVocab();
const pieces = Object.keys(ids).sort((a, b) => ids[a] - ids[b]);
require("fs").writeFileSync(process.argv[1], pieces.map((piece) => piece + "\\n").join(""));
"""


def lines_of(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


def alphabet_of(vocabulary):
    """Its leading single characters, whole and as continuations."""
    return list(itertools.takewhile(lambda piece: len(piece.removeprefix("##")) == 1, vocabulary))


def train(counts, alphabet):
    """Extends `alphabet` to a vocabulary. The heap holds each pair with its count and the words in which it
    was found; a pair whose count has changed is pushed again."""
    pieces, number = list(alphabet), {piece: i for i, piece in enumerate(alphabet)}
    words = [[number[character if at == 0 else "##" + character] for at, character in enumerate(word)] for word in counts]
    times = list(counts.values())
    together, found, heap = collections.Counter(), collections.defaultdict(set), []

    def wait():
        for pair, where in found.items():
            if together[pair] > 0:
                heapq.heappush(heap, (-together[pair], pair, len(heap), where))
        found.clear()

    for index, word in enumerate(words):
        for pair in zip(word, word[1:]):
            together[pair] += times[index]
            found[pair].add(index)
    wait()
    while heap and len(pieces) < SIZE:
        count, pair, order, where = heapq.heappop(heap)
        if -count != together[pair]:
            heapq.heappush(heap, (-together[pair], pair, order, where))
            continue
        if count == 0:
            break
        first, second = pair
        name = pieces[first] + pieces[second].removeprefix("##")
        if name not in number:
            number[name] = len(pieces)
            pieces.append(name)
        for index in where:
            for change, other in join(words[index], first, second, number[name]):
                together[other] += change * times[index]
                if change > 0:
                    found[other].add(index)
        wait()
    return pieces


def join(word, first, second, joined):
    """Merges the pair in the word. Returns the removed and added pairs, except for the merged pair itself."""
    changes, at = [], 0
    while at + 1 < len(word):
        if word[at : at + 2] == [first, second]:
            word[at : at + 2] = [joined]
            if at > 0:
                changes += [(-1, (word[at - 1], first)), (1, (word[at - 1], joined))]
            if at + 1 < len(word):
                changes += [(-1, (second, word[at + 1])), (1, (joined, word[at + 1]))]
        at += 1
    return changes


def differ(what, found, expected):
    if found == expected:
        return False
    at = next(i for i, both in enumerate(itertools.zip_longest(found, expected)) if both[0] != both[1])
    print(f"{what}: {len(found)} pieces, expected {len(expected)}; piece {at} is {found[at:at + 3]}, "
          f"expected {expected[at:at + 3]}")
    return True


def main():
    npm = os.environ.get("NPM_DIR", "")
    if not os.path.isdir(os.path.join(npm, "node_modules", "tokenizers")):
        print("skipped: the npm package tokenizers is not in $NPM_DIR")
        return 77
    tool = os.path.join(sys.argv[1], "bert-vocab")
    texts = [os.path.abspath(text) for text in sys.argv[2:]] or sorted(
        glob.glob(f"{ROOT}/README.md") + glob.glob(f"{ROOT}/man/*.[157]"))
    with tempfile.TemporaryDirectory() as directory:
        theirs, ours, table = (os.path.join(directory, name) for name in ("theirs", "ours", "counts"))
        subprocess.run(["node", "-e", TRAIN, theirs, *texts], cwd=npm, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        subprocess.run([tool, "--criterion", "frequency", "--min-frequency", "1", "--size", str(SIZE + SPECIALS), "-q",
                        "--input-format", "file", "--counts", table, "-o", ours, *texts], check=True)
        theirs, ours = lines_of(theirs), lines_of(ours)[SPECIALS:]
        counts = {word: int(count) for word, count in (line.split("\t") for line in lines_of(table))}
    bad = differ("Hugging Face's trainer", train(counts, alphabet_of(theirs)), theirs)
    bad |= differ("bert-vocab", ours, train(counts, alphabet_of(ours)))
    print(f"{len(ours)} pieces of {len(counts)} words; {len(set(ours) & set(theirs))} of Hugging Face's {len(theirs)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
