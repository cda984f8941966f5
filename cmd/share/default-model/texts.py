#!/usr/bin/python3
"""Writes texts in random order, one per line, on which a small model learns the sentence vectors of a large one.

usage: texts.py WORDNET WIKISPLIT SQUAD HELD_OUT BOOK... >TEXTS

WORDNET is the folder of the data files of WordNet 3.0, WIKISPLIT that of the tables of WikiSplit, SQUAD the training set of
SQuAD 1.1, and each BOOK a text. HELD_OUT is a table of three words in
each line, of which the first two are synonyms that the model must not be taught: no text has both, and neither is a text.

The texts are sentences of all of these, paragraphs and questions of SQuAD, definitions, examples, lemmas and lists of
synonyms of WordNet, sentences in which words were replaced by synonyms, parts of sentences,
and two lemmas at random.
"""
import json
import random
import re
import sys
from collections import defaultdict
from pathlib import Path

SENTENCE = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]*[A-Z])")
WORD = re.compile("[a-z]+")


def sentences(text, shortest=15, longest=250):
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in SENTENCE.split(" ".join(paragraph.split())):
            if shortest <= len(sentence) <= longest:
                yield sentence


def wikipedia(folder):
    """Sentences of WikiSplit, whose punctuation stands apart."""
    for path in sorted(Path(folder).glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            for sentence in re.split(r"\t|<::::>", line):
                sentence = re.sub(r" ?'' ?", '"', " ".join(sentence.split()))
                sentence = re.sub(r" ([.,;:?!%)])", r"\1", sentence).replace("( ", "(").replace(" 's", "'s")
                if len(sentence) >= 15:
                    yield sentence


def squad(path):
    """Lists of paragraphs and of questions."""
    paragraphs, questions = [], []
    for article in json.loads(Path(path).read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            paragraphs.append(" ".join(paragraph["context"].split()))
            questions += (" ".join(question["question"].split()) for question in paragraph["qas"])
    return paragraphs, questions


def synsets(folder):
    """Lemmas, definition and examples of each set of synonyms (wndb(5WN))."""
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (Path(folder) / f"data.{kind}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):
                continue
            data, gloss = line.split(" | ", 1)
            fields = data.split()
            lemmas = [re.sub(r"\(\w+\)$", "", lemma).replace("_", " ") for lemma in fields[4:4 + 2 * int(fields[3], 16):2]]
            definition = re.sub(r';?\s*"[^"]*"', "", gloss).strip(" ;")
            yield lemmas, definition, re.findall(r'"([^"]+)"', gloss)


class HeldOut:
    """Pairs of synonyms that must not be taught."""

    def __init__(self, path):
        rows = [line.split("\t") for line in Path(path).read_text().splitlines()]
        self.pairs = {frozenset(row[:2]) for row in rows}
        self.words = set().union(*self.pairs)

    def allows(self, text):
        words = sorted(self.words.intersection(WORD.findall(text.lower())))
        return not any(frozenset((a, b)) in self.pairs for a in words for b in words)


def wordnet(folder, held_out):
    """Texts of WordNet, lemmas, and the synonyms of each word."""
    texts, all_lemmas, synonyms = [], set(), defaultdict(set)
    for lemmas, definition, examples in synsets(folder):
        all_lemmas.update(lemmas)
        texts += [definition, f"{lemmas[0]}: {definition}", *examples]
        texts += (lemma for lemma in lemmas if lemma not in held_out.words)
        texts.append(", ".join(lemmas[:4]))
        words = [lemma for lemma in lemmas if re.fullmatch("[a-z]{3,}", lemma)]
        for word in words:
            synonyms[word].update(other for other in words if other != word and frozenset((word, other)) not in held_out.pairs)
    return texts, sorted(all_lemmas), {word: sorted(others) for word, others in sorted(synonyms.items()) if others}


def replaced(sentence, synonyms, rng):
    """The sentence with synonyms in place of two in five words that have any."""
    return " ".join(rng.choice(synonyms[word]) if word in synonyms and rng.random() < 0.4 else word for word in sentence.split(" "))


def part(sentence, rng):
    words = sentence.split(" ")
    length = min(rng.randint(2, 12), len(words))
    start = rng.randrange(len(words) - length + 1)
    return " ".join(words[start:start + length])


def main():
    rng, held_out = random.Random(1), HeldOut(sys.argv[4])
    paragraphs, questions = squad(sys.argv[3])
    facts = list(wikipedia(sys.argv[2])) + [sentence for paragraph in paragraphs for sentence in sentences(paragraph)]
    prose = [sentence for book in sys.argv[5:] for sentence in sentences(Path(book).read_text(encoding="utf-8", errors="replace"))]
    prose = rng.sample(prose, 320000)
    lexicon, lemmas, synonyms = wordnet(sys.argv[1], held_out)
    texts = prose + facts + paragraphs + questions + lexicon
    texts += (replaced(sentence, synonyms, rng) for sentence in rng.sample(prose + facts, 250000))
    texts += (part(sentence, rng) for sentence in rng.sample(prose + facts, 80000))
    texts += (" ".join(rng.sample(lemmas, 2)) for _ in range(150000))
    texts = [text for text in dict.fromkeys(texts) if text and held_out.allows(text)]
    rng.shuffle(texts)
    sys.stdout.write("\n".join(texts) + "\n")


if __name__ == "__main__":
    main()
