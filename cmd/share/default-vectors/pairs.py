#!/usr/bin/python3
"""Makes pairs of texts with a similarity from books, to train sentence vectors on.

usage: pairs.py COUNT [SEED] <BOOKS.jsonl >PAIRS.jsonl

Reads books as bert-tokenize --sentences writes them and writes COUNT records of two token sequences and a label, in
random order; each pair is drawn with the same probability. The label is the cosine of the two bags of tokens, weighted
by inverse document frequency (IDF) in the first 200 books. A passage is a run of sentences of up to 100 tokens. The
pairs are

4 in 10  a run of random tokens, and another one of which a random part was replaced by tokens of the first
4 in 10  the same for two sentences of a passage
2 in 10  a sentence, and its passage, from which it is removed nine times in ten
"""
import collections
import itertools
import json
import math
import random
import sys

CLS, SEP = 2, 3
PASSAGE = 100
BOOKS = 200  # for document frequencies


def passages(sentences):
    passage, length = [], 0
    for sentence in sentences:
        if passage and length + len(sentence) > PASSAGE:
            yield passage
            passage, length = [], 0
        passage.append(sentence)
        length += len(sentence)


class Frequencies:
    """Document frequencies of tokens; documents are passages."""

    def __init__(self, books):
        self.counts, self.passages = collections.Counter(), 0
        for book in books:
            for passage in passages(json.loads(book)["sentences"]):
                self.counts.update(set(sum(passage, [])))
                self.passages += 1

    def idf(self, token):
        return math.log((1 + self.passages) / (1 + self.counts[token]))


class Pairs:
    def __init__(self, frequencies, rng):
        self.rng = rng
        self.squares = collections.defaultdict(float, {token: frequencies.idf(token) ** 2 for token in frequencies.counts})
        self.tokens = sorted(frequencies.counts)
        self.chances = list(itertools.accumulate(math.sqrt(frequencies.counts[token]) for token in self.tokens))

    def cosine(self, a, b):
        weight = lambda tokens: sum(self.squares[token] for token in sorted(tokens))
        norm = math.sqrt(weight(a) * weight(b))
        return weight(a & b) / norm if norm else 0.0

    def cloze(self, passage):
        at = self.rng.randrange(len(passage))
        rest = passage[:at] + passage[at + 1:] if self.rng.random() < 0.9 else passage
        sentence, rest = passage[at], sum(rest, [])
        return (sentence, rest) if 6 <= len(sentence) <= 40 and len(rest) >= 30 else None

    def random_tokens(self):
        return self.rng.choices(self.tokens, cum_weights=self.chances, k=self.rng.randint(4, 25))

    def mixed(self, first, other):
        """Tokens of both, in their order, or first those of `first`."""
        share = self.rng.random() ** 1.5
        kept = [token for token in first if self.rng.random() < share]
        rest = [token for token in other if self.rng.random() < 1 - share]
        if self.rng.random() < 0.5:
            return kept + rest
        places = [(i + self.rng.random(), token) for tokens in (kept, rest) for i, token in enumerate(tokens)]
        return [token for _, token in sorted(places)]

    def pair(self, passage):
        """Two token sequences, or None."""
        kind = self.rng.random()
        if kind < 0.2:
            return self.cloze(passage)
        if kind < 0.6:
            first, other = self.random_tokens(), self.random_tokens()
        else:
            good = [sentence for sentence in passage if 5 <= len(sentence) <= 30]
            if len(good) < 2:
                return None
            first, other = self.rng.sample(good, 2)
        second = self.mixed(first, other)
        return (first, second) if second else None


def main():
    count, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    books = list(itertools.islice(sys.stdin, BOOKS))
    pairs = Pairs(Frequencies(books), rng)
    chosen, seen = [], 0
    for book in itertools.chain(books, sys.stdin):
        for passage in passages(json.loads(book)["sentences"]):
            pair = pairs.pair(passage)
            if pair is None or pair[0] == pair[1]:
                continue
            seen += 1  # reservoir sampling
            place = len(chosen) if len(chosen) < count else rng.randrange(seen)
            if place < count:
                chosen[place:place + 1] = [pair]
    rng.shuffle(chosen)
    for pair in chosen:
        print(json.dumps({"input_ids": [[CLS, *ids, SEP] for ids in pair],
                          "label": round(pairs.cosine(*map(set, pair)), 4)}, separators=(",", ":")))


if __name__ == "__main__":
    main()
