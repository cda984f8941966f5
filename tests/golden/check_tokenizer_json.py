#!/usr/bin/python3
"""Compares bert-tokenize with Hugging Face's tokenizers: added tokens and truncation in tokenizer.json.

usage: check_tokenizer_json.py DIRECTORY_OF_THE_TOOLS               the cases stored in tokenizer_json.json
       check_tokenizer_json.py --fuzz SECONDS SEED DIRECTORY_OF_THE_TOOLS     new cases for SECONDS
       check_tokenizer_json.py --write                              store new cases

The last two need the npm package tokenizers in $NPM_DIR (npm install --ignore-scripts tokenizers; 0.23.2 made
the file). Texts for which it panics (white space with lstrip alone, after a token with rstrip) are skipped.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unicodedata

GOLDENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tokenizer_json.json")
VOCAB = "[PAD] [UNK] [CLS] [SEP] [MASK] a b x y ##a ##b e ##e 東 ! 1 ##1 _ ß i ##i ᆨ ##ᆨ 각".split()
CHARACTERS = ["a", "b", "x", "y", " ", "\n", "\t", " \n", "\u2003", "\u00a0", "é", "e\u0301", "İ", "東", "!", "_", "1",
              "\u0301", "ᆨ", "각", "ß", "A", "B", "[A]", "[X]", "\u200b", "ﬁ", "#", "##"]
TEXTS = 12  # per tokenizer
ENCODE = """
const {Tokenizer} = require("tokenizers");
(async () => {
  for await (const line of require("readline").createInterface({input: process.stdin})) {
    const {tokenizer, texts, pairs} = JSON.parse(line);
    const fast = Tokenizer.fromString(JSON.stringify(tokenizer));
    const results = [];
    for (const [i, text] of texts.entries()) {
      const encoding = await fast.encode(text, pairs[i], {addSpecialTokens: true});
      results.push([encoding.getIds(), encoding.getOffsets()]);
    }
    console.log(JSON.stringify(results));
  }
})();
"""


class HuggingFace:
    """A node process, restarted after each panic."""

    def __init__(self):
        self.node = None

    def encode(self, tokenizer, texts, pairs):
        if self.node is None:
            environment = {**os.environ, "RUST_BACKTRACE": "0"}
            self.node = subprocess.Popen(["node", "-e", ENCODE], cwd=os.environ["NPM_DIR"], env=environment, text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.node.stdin.write(json.dumps({"tokenizer": tokenizer, "texts": texts, "pairs": pairs}) + "\n")
        self.node.stdin.flush()
        line = self.node.stdout.readline()
        if line:
            return json.loads(line)
        self.node.wait()
        self.node = None
        if len(texts) == 1:
            return [None]
        return [self.encode(tokenizer, [text], [pair])[0] for text, pair in zip(texts, pairs)]


def added_token(rng, content, ident):
    """If an added token is also a vocabulary entry, bert-tokenize cannot tell them apart when it
    truncates."""
    token = {"id": ident, "content": content}
    for flag, odds in (("single_word", .3), ("lstrip", .4), ("rstrip", .4), ("normalized", .6), ("special", .3)):
        token[flag] = rng.random() < odds and not (flag == "single_word" and content in VOCAB)
    return token


def settings(rng):
    contents = ["".join(rng.choices(CHARACTERS, k=rng.choice([1, 1, 1, 2, 2, 3]))) for _ in range(rng.randrange(1, 6))]
    contents = list(dict.fromkeys(contents))
    ids = iter(range(len(VOCAB), 99))
    added = [added_token(rng, c, VOCAB.index(c) if c in VOCAB else next(ids)) for c in contents]
    direction = rng.choice(["Left", "Right"])
    truncation = {"direction": direction, "max_length": rng.choice([4, 5, 8, 13, 20]), "strategy": "LongestFirst", "stride": 0}
    return {
        "version": "1.0", "truncation": truncation if rng.random() < .5 else None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "BertNormalizer", "clean_text": rng.random() < .5, "handle_chinese_chars": rng.random() < .7,
                       "strip_accents": rng.choice([None, True, False]), "lowercase": rng.random() < .6},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": rng.choice([100, 100, 3, 1, 0]),
                  "vocab": {piece: i for i, piece in enumerate(VOCAB)}}}


def is_settled(tokenizer):
    """Whether the result is well defined. If two added tokens are equal after normalization, Hugging Face's
    choice varies between runs; if one is empty, its search does not end."""
    forms = []
    for token in tokenizer["added_tokens"]:
        letters = [c for c in unicodedata.normalize("NFD", token["content"].lower())
                   if unicodedata.category(c) not in ("Mn", "Cf")]
        if token["normalized"]:
            forms.append("".join(" " if c.isspace() else c for c in letters))
    return "" not in forms and len(set(forms)) == len(forms)


def random_case(rng):
    tokenizer = settings(rng)
    while not is_settled(tokenizer):
        tokenizer = settings(rng)
    alphabet = CHARACTERS + [token["content"] for token in tokenizer["added_tokens"]] * 3 + [" ", "\n"] * 2
    text = lambda: "".join(rng.choices(alphabet, k=rng.randrange(1, 14)))
    return tokenizer, [text() for _ in range(TEXTS)], [text() if rng.random() < .4 else None for _ in range(TEXTS)]


def bert_tokenize(tools, tokenizer, texts, pairs):
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "tokenizer.json"), "w", encoding="utf-8") as file:
            json.dump(tokenizer, file)
        records = [{"text": t} if p is None else {"text": t, "text_pair": p} for t, p in zip(texts, pairs)]
        run = subprocess.run([os.path.join(tools, "bert-tokenize"), "-q", "-m", directory, "--offsets", "chars"],
                             input="".join(json.dumps(record) + "\n" for record in records), capture_output=True,
                             encoding="utf-8", check=False)
    if run.returncode != 0:
        return [run.stderr] * len(texts)
    return [[record["input_ids"], record["offsets"]] for record in map(json.loads, run.stdout.splitlines())]


def differences(tools, case, expected):
    tokenizer, texts, pairs = case
    count = 0
    for text, pair, got, wanted in zip(texts, pairs, bert_tokenize(tools, *case), expected):
        if wanted is not None and got != wanted:
            count += 1
            print(f"FAILED: {json.dumps(tokenizer)}\n  {text!r} {pair!r}\n  gives {got}\n  expected {wanted}")
    return count


def cases_of_goldens():
    rng = random.Random(18)
    return [random_case(rng) for _ in range(40)]


def write():
    library = HuggingFace()
    lines = [json.dumps([case, library.encode(*case)], separators=(",", ":")) for case in cases_of_goldens()]
    with open(GOLDENS, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")


def fuzz(seconds, seed, tools):
    rng = random.Random(int(seed))
    library = HuggingFace()
    compared = panics = failures = 0
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        case = random_case(rng)
        expected = library.encode(*case)
        panics += expected.count(None)
        compared += len(expected) - expected.count(None)
        failures += differences(tools, case, expected)
    print(f"{compared} texts compared, {failures} differ; {panics} panics of Hugging Face's tokenizers")
    return failures


def check(tools):
    with open(GOLDENS, encoding="utf-8") as file:
        goldens = json.load(file)
    failures = sum(differences(tools, case, expected) for case, expected in goldens)
    print(f"{sum(len(expected) for _, expected in goldens)} texts, {failures} differ")
    return failures


def main():
    if sys.argv[1:2] in (["--write"], ["--fuzz"]) and "NPM_DIR" not in os.environ:
        sys.exit("NPM_DIR does not say where the npm package tokenizers is")
    if len(sys.argv) == 2 and sys.argv[1] == "--write":
        write()
    elif len(sys.argv) == 5 and sys.argv[1] == "--fuzz":
        sys.exit(fuzz(*sys.argv[2:]) != 0)
    elif len(sys.argv) == 2:
        sys.exit(check(sys.argv[1]) != 0)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
