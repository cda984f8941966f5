#!/usr/bin/python3
"""Measures how often a model predicts a masked word of a sentence, and prints a table (Markdown).

    /usr/bin/python3 tests/bench/masked_words.py BUILD_DIR -m MODEL --training FILE... [--list FILE] [--sentences 200]
        [--seed 0] [TEXT...]

Draws distinct sentences from the TEXTs and masks one random word in each, among the words that are a single
token of the model's vocabulary. The baselines always predict the five most frequent tokens of the --training
texts, or the five most frequent words, because punctuation is never masked. With --list the sentences are
read from FILE, or written to it if it does not exist: records with text and answer, an array of one token.
"""
import argparse
import collections
import json
import random
import re
import subprocess
import sys
from pathlib import Path

from bench import row, table

TOP = 5


def sentences(text):
    """Splits at paragraph ends and closing punctuation; yields sentences of 8 to 40 words."""
    for paragraph in re.split(r"\n\s*\n", text.replace("\r", "")):
        for sentence in re.split(r"(?<=[.!?])[\"'”’]*\s+", " ".join(paragraph.split())):
            if 8 <= len(sentence.split()) <= 40 and re.fullmatch(r"[A-Z\"“‘'].*[.!?]", sentence) and "[" not in sentence:
                yield sentence


def words(record):
    """Start, end and token of each word that is one token."""
    text, tokens, offsets = record["text"], record["tokens"], record["offsets"]
    for token, (start, end) in zip(tokens, offsets):
        whole = re.match(r"(^|[\s(\"“])\w+([\s.,;:!?)\"”]|$)", text[max(start - 1, 0):end + 1])
        if whole and end > start and token.isalpha() and text[start:end].lower() == token.lower():
            yield start, end, token


class Bench:
    def __init__(self, options):
        self.options = options
        self.tools = Path(options.build).resolve() / "cmd"

    def tool(self, name, *arguments, lines=None, model=True):
        command = [self.tools / name, "-q", *(["-m", self.options.model] if model else []), *arguments]
        return subprocess.run(command, input=lines, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout

    def draw(self):
        """Records for bert-predict's fill task, with the masked token."""
        found = set()
        for path in self.options.texts:
            found.update(sentences(Path(path).read_text(encoding="utf-8", errors="replace")))
        generator, drawn = random.Random(self.options.seed), []
        order = sorted(found)
        generator.shuffle(order)
        lines = "".join(json.dumps({"text": sentence}) + "\n" for sentence in order[:2 * self.options.sentences])
        for line in self.tool("bert-tokenize", "--tokens", "--offsets", "chars", lines=lines).splitlines():
            record = json.loads(line)
            places = list(words(record))
            if not places or len(drawn) == self.options.sentences:
                continue
            start, end, token = generator.choice(places)
            text = record["text"]
            drawn.append({"text": text[:start] + "[MASK]" + text[end:], "answer": [token]})
        return drawn

    def records(self):
        path = self.options.list
        if path and path.exists():
            return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        drawn = self.draw()
        if path:
            path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in drawn), encoding="utf-8")
        return drawn

    def frequent(self):
        """The most frequent tokens of the training texts, and the most frequent words, in descending
        order."""
        counts = collections.Counter()
        for path in self.options.training:
            counts.update(self.tool("bert-tokenize", "--no-special-tokens", "--input-format", "file", "--invalid-utf8",
                                    "replace", "--format", "tokens", path).split())
        order = [token for token, _ in counts.most_common()]
        return order[:TOP], [token for token in order if token.isalpha()][:TOP]

    def run(self):
        records = self.records()
        answers = self.tool("bert-predict", "--task", "fill", "--top-k", str(TOP), lines="".join(
            json.dumps(record) + "\n" for record in records))
        scores = json.loads(self.tool("bert-score", "--task", "fill", "--label-field", "answer", lines=answers, model=False))
        gold = [record["answer"][0] for record in records]
        found = scores[f"top_{TOP}_accuracy"]
        table(f"{len(records)} hidden words", "top-1", f"top-{TOP}", f"the model's top-{TOP}, times as many")
        row("the model", f"{100 * scores['accuracy']:.1f} %", f"{100 * found:.1f} %", "1.0")
        for what, five in zip(("tokens", "words"), self.frequent()):
            first, any_of = gold.count(five[0]) / len(gold), sum(token in five for token in gold) / len(gold)
            row(f"always the most frequent {what}, `{' '.join(five)}`", f"{100 * first:.1f} %", f"{100 * any_of:.1f} %",
                f"{found / any_of:.1f}" if any_of else "–")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("texts", nargs="*", metavar="TEXT")
    parser.add_argument("-m", "--model", required=True)
    parser.add_argument("--training", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--list", type=Path, metavar="FILE")
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_intermixed_args()
    if not options.texts and not (options.list and options.list.exists()):
        parser.error("needs TEXTs, or a --list that exists")
    Bench(options).run()


if __name__ == "__main__":
    sys.exit(main())
