#!/usr/bin/python3
"""Compares bert-vocab with other trainers of byte-level BPE and Unigram.

usage: check_learners.py DIRECTORY_OF_THE_TOOLS                                  the merges stored in merges.json
       check_learners.py --fuzz COUNT SEED DIRECTORY_OF_THE_TOOLS                merges of COUNT new texts
       check_learners.py --compare SIZE DIRECTORY_OF_THE_TOOLS TEXT HELD_OUT     merges of a text; Unigram on another
       check_learners.py --write                                                 store new merges

The merges are those of Hugging Face's BpeTrainer. Unigram has no unique result, so the tokens per word and the log
likelihood of a word in HELD_OUT are compared with SentencePiece's: neither may be more than 1 % worse. All but the
first need the Python packages tokenizers (0.23.3 made the file) and sentencepiece.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

GOLDENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "merges.json")
SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
BASE = len(SPECIALS) + 256
SENTENCE = ("The quick brown fox doesn't jump over the lazy dogs: it's 1,000 years old, and they'll see what we've done. "
            "Le cœur a ses raisons que la raison ne connaît point. Привет, мир!  東京は日本の首都です。 ")


def train_bpe(lines, size, least):
    """The merges of Hugging Face's trainer."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=size, min_frequency=least, special_tokens=SPECIALS, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return [" ".join(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


def learn(tools, kind, path, size, least):
    """The model that bert-vocab writes."""
    command = [os.path.join(tools, "bert-vocab"), "--kind", kind, "--size", str(size), "--min-frequency", str(least), "-q",
               "--input-format", "text", path]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def random_case(source):
    """Words of few letters, so that tokens are made in several ways, and ties; or parts of sentences."""
    if source.random() < 0.2:
        begins = [source.randrange(len(SENTENCE)) for _ in range(12)]
        lines = [SENTENCE[begin:begin + source.randrange(1, 80)] for begin in begins]
    else:
        letters = "abcdef"[:source.randrange(1, 7)]
        word = lambda: "".join(source.choice(letters) for _ in range(source.randrange(1, 13)))
        words = [word() for _ in range(source.randrange(1, 40))]
        lines = [" ".join(source.choices(words, k=source.randrange(1, 60))) for _ in range(source.randrange(1, 5))]
    return {"lines": [line for line in lines if line.strip()], "size": BASE + source.randrange(1, 80),
            "least": source.randrange(1, 4)}


def check_bpe(tools, case):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "text")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in case["lines"])
        model = learn(tools, "bpe", path, case["size"], case["least"])["model"]
    if model["merges"] == case["merges"]:
        return True
    print("other merges:", {**case, "found": model["merges"]})
    return False


def quality(model, lines):
    """Tokens per word and log likelihood per word."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    vocabulary = [(token, score) for token, score in model]
    unk = next(i for i, (token, _) in enumerate(vocabulary) if token == "<unk>")
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=unk))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    worst = min(score for _, score in vocabulary) - 10
    words, tokens, likelihood = 0, 0, 0.0
    for line, encoding in zip(lines, tokenizer.encode_batch(lines)):
        words += len(line.split())
        tokens += len(encoding.ids)
        likelihood += sum(worst if i == unk else vocabulary[i][1] for i in encoding.ids)
    return tokens / words, likelihood / words


def compare(size, tools, text, held_out):
    import sentencepiece
    lines_of = lambda path: [line.rstrip("\n") for line in open(path, encoding="utf-8", newline="\n")]
    bad = learn(tools, "bpe", text, size, 2)["model"]["merges"] != train_bpe(lines_of(text), size, 2)
    print("the merges differ" if bad else "equal merges")
    ours = quality(learn(tools, "unigram", text, size, 2)["model"]["vocab"], lines_of(held_out))
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "model")
        # SentencePiece has no <pad> and <mask>.
        sentencepiece.SentencePieceTrainer.train(
            input=text, model_prefix=prefix, vocab_size=size - 2, character_coverage=1.0, max_sentence_length=1 << 20,
            normalization_rule_name="nfkc", minloglevel=2)
        loaded = sentencepiece.SentencePieceProcessor(model_file=prefix + ".model")
        pieces = [(loaded.id_to_piece(i), loaded.get_score(i)) for i in range(loaded.get_piece_size())]
    theirs = quality(pieces, lines_of(held_out))
    for name, (tokens, likelihood) in (("bert-vocab", ours), ("SentencePiece", theirs)):
        print(f"{name}: {tokens:.4f} tokens per word, log likelihood of a word {likelihood:.4f}")
    return bad or ours[0] > 1.01 * theirs[0] or ours[1] < 1.01 * theirs[1]


def main():
    arguments = sys.argv[1:]
    if arguments[0] == "--compare":
        return compare(int(arguments[1]), *arguments[2:])
    if arguments[0] in ("--write", "--fuzz"):
        count, seed = (60, 42) if arguments[0] == "--write" else (int(arguments[1]), int(arguments[2]))
        cases = [random_case(random.Random(f"{seed} {number}")) for number in range(count)]
        cases = [{**case, "merges": train_bpe(*case.values())} for case in cases]
        if arguments[0] == "--write":
            with open(GOLDENS, "w", encoding="utf-8") as file:
                file.write("[" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "]\n")
            return 0
    else:
        with open(GOLDENS, encoding="utf-8") as file:
            cases = json.load(file)
    bad = sum(not check_bpe(arguments[-1], case) for case in cases)
    print(f"{len(cases)} texts, {bad} with other merges")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
