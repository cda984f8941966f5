#!/usr/bin/python3
"""Compares --context document of bert-predict and bert-train with windows built one token at a time.

Usage: check_context.py TOOLS_DIRECTORY

The documents are generated. Each window is also given to bert-predict as input_ids, whose prediction has a tag for each token.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

from wordpiece import Tokenizer

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models", "tag")
WORDS = ["the", "king", "said", "good", "day", "old", "castle", "marvellous", "xyzzy", "unbelievable", "a", ",", "x-y", "queens"]
DOCUMENTS = 40


def documents(chance):
    return [[[chance.choice(WORDS) for _ in range(chance.choice([1, 2, 5, 9, 14, 30]))] for _ in range(chance.choice([1, 2, 4, 9]))]
            for _ in range(DOCUMENTS)]


def window(tokenizer, document, number, length):
    """Ids of a sentence in its document, and the position of each word's first token; None if it does not fit alone."""
    subwords = [[tokenizer.tokens(word) for word in sentence] for sentence in document]
    own = subwords[number]
    before = [word for sentence in subwords[:number] for word in sentence]
    after = [word for sentence in subwords[number + 1:] for word in sentence]
    room = length - 2 - sum(map(len, own))
    if room < 0:
        return None
    # One token after the other, first on the right.
    left = right = 0
    most_left, most_right = sum(map(len, before)), sum(map(len, after))
    while room > 0 and (left < most_left or right < most_right):
        for side in "right", "left":
            if room > 0 and side == "right" and right < most_right:
                right, room = right + 1, room - 1
            if room > 0 and side == "left" and left < most_left:
                left, room = left + 1, room - 1
    # Only whole words.
    kept_before, kept_after = [], []
    for word in reversed(before):
        if len(word) > left:
            break
        left -= len(word)
        kept_before.insert(0, word)
    for word in after:
        if len(word) > right:
            break
        right -= len(word)
        kept_after.append(word)
    tokens, places = ["[CLS]"], []
    for word in kept_before:
        tokens += word
    for word in own:
        places.append(len(tokens))
        tokens += word
    for word in kept_after:
        tokens += word
    return [tokenizer.ids[token] for token in [*tokens, "[SEP]"]], places


def run(tools, *command, lines=None):
    data = None if lines is None else "".join(json.dumps(line) + "\n" for line in lines).encode()
    out = subprocess.run([os.path.join(tools, command[0]), *command[1:]], input=data, stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def main():
    tools = sys.argv[1]
    tokenizer, chance = Tokenizer(MODEL), random.Random(1)
    texts = documents(chance)
    length = 40
    records, windows = [], []
    for number, document in enumerate(texts):
        for sentence in range(len(document)):
            records.append({"document": number, "words": document[sentence]})
            windows.append(window(tokenizer, document, sentence, length))
    by_ids = iter(run(tools, "bert-predict", "-m", MODEL, "--max-length", str(length), lines=[
        {"input_ids": found[0]} for found in windows if found]))
    alone = run(tools, "bert-predict", "-m", MODEL, "--max-length", str(length), lines=records)
    wanted = []
    for found, sentence in zip(windows, alone):
        if found is None:  # in windows without context
            wanted.append(sentence["prediction"])
            continue
        tags = next(by_ids)["prediction"]
        wanted.append([tags[place - 1] for place in found[1]])
    predicted = [record["prediction"] for record in run(
        tools, "bert-predict", "-m", MODEL, "--max-length", str(length), "--context", "document", lines=records)]
    for record, ours, slow in zip(records, predicted, wanted):
        if ours != slow:
            sys.exit(f"{record}\n  bert-predict: {ours}\n  expected:     {slow}")
    changed = sum(ours != sentence["prediction"] for ours, sentence in zip(predicted, alone))
    if not changed > len(records) / 10:
        sys.exit(f"only {changed} of {len(records)} predictions differ from those of the sentences alone")

    # bert-train reads the same windows: its metrics on labels equal to the predictions are perfect.
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for record, slow in zip(records, wanted):
            file.write(json.dumps(record | {"tags": slow}) + "\n")
        file.flush()
        metrics = {}
        for context in "document", "sentence":
            found = run(tools, "bert-train", "--task", "tag", "-m", MODEL, "--max-length", str(length), "--steps", "0", "--dev", file.name,
                        "--context", context)
            metrics[context] = found[-1]
    print(metrics)
    accuracy = {context: next(value for key, value in found.items() if key.endswith("accuracy")) for context, found in metrics.items()}
    if accuracy["document"] != 1 or accuracy["sentence"] == 1:
        sys.exit(f"accuracies of bert-train: {accuracy}")


if __name__ == "__main__":
    main()
