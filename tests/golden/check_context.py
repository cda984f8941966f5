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
    """None if the sentence does not fit alone, or

    - the ids of a sentence in its document, and the positions of its words' first tokens,
    - the number of words before it, and the positions of the first tokens of all words.
    """
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
    for word in [*kept_before, *own, *kept_after]:
        places.append(len(tokens))
        tokens += word
    ids = [tokenizer.ids[token] for token in [*tokens, "[SEP]"]]
    return ids, places[len(kept_before):][:len(own)], len(kept_before), places


def bio(tags):
    """An I- that does not follow a tag of its type becomes B-."""
    return ["B" + tag[1:] if tag.startswith("I-") and (before == "O" or before[1:] != tag[1:]) else tag
            for before, tag in zip(["O", *tags], tags)]


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

    # bert-train learns from the words around a sentence, too: the accuracy on random tags, without any learning.
    labels = sorted(set(tag for tags in wanted for tag in tags))
    right = total = 0
    by_ids = iter(run(tools, "bert-predict", "-m", MODEL, "--max-length", str(length), lines=[
        {"input_ids": found[0]} for found in windows if found]))
    tagged = [record | {"tags": [chance.choice(labels) for _ in record["words"]]} for record in records]
    for number, (found, sentence) in enumerate(zip(windows, alone)):
        gold = bio(tagged[number]["tags"])
        compared = list(zip(sentence["prediction"], gold))
        if found:
            document = records[number]["document"]
            first = next(i for i, record in enumerate(records) if record["document"] == document)
            others = [tag for i in range(first, len(records)) if records[i]["document"] == document for tag in bio(tagged[i]["tags"])]
            begin = sum(len(record["words"]) for record in records[first:number]) - found[2]
            tags = next(by_ids)["prediction"]
            compared = list(zip((tags[place - 1] for place in found[3]), others[begin:]))
        right += sum(ours == wanted for ours, wanted in compared)
        total += len(compared)
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "x.jsonl"), "w") as file:
            file.writelines(json.dumps(record) + "\n" for record in tagged)
        log = run(tools, "bert-train", "-q", "--task", "tag", "-m", MODEL, "--max-length", str(length), "--context", "document", "--lr", "0",
                  "--dropout", "0", "--epochs", "1", "--batch-size", "1000", "-o", os.path.join(directory, "out"), file.name)
    print(f"learned from {total} words of {len(records)} windows, {right} of them predicted")
    if abs(log[-1]["accuracy"] - right / total) > 1e-6:
        sys.exit(f"accuracy {log[-1]['accuracy']} of bert-train, expected {right / total}")

    # bert-train evaluates the same windows: its metrics on labels equal to the predictions are perfect.
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
