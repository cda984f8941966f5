#!/usr/bin/python3
"""Writes tests/golden/tools/MODEL.jsonl: the expected output of bert-embed and bert-predict for a few texts.

usage: make_tool_goldens.py [--check]

A line is {"tool", "options", "input": the record, "output": the fields that the tool adds}, with numbers
rounded to 4 decimals. check_tools.py runs the tools and compares. --check compares with the existing files
instead of writing.
"""
import json
import os
import shutil
import sys

try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

from make_goldens import HERE
from sentence_reference import pool
from token_reference import answer, tag
from tool_reference import (Model, choose, classify, fill, multilabel, next_sentence, perplexity,
                            perplexity_in_windows, rank_sigmoid, regress, rounded, text_record)

TEXTS = ["The old king could not find his book.", "a night of music, light and rain in Paris!", "queenless"]
LONG = "the cat and the dog take a long way home over the river, " * 4
CHOICES = [{"text": "the man took the book", "choices": ["and read it", "home", "the king could not find the river"]},
           {"text": "the queen went to Paris by the river", "question": "Where is she?", "choices": ["in Paris", "home"]},
           {"text": "", "question": "", "choices": ["one", "", "two", "the night", "a light in the rain"]},
           {"text": "the only way", "choices": ["home"]}]
PAIRS = [("Who is the king of France?", "the queen said it was a good year"),
         ("The sun was on the water.", "They came down to the river; it was very great.")]
MASKED = ["The [MASK] and the queen of [MASK].", "he could not find [MASK]", "no word is hidden here"]
MASKED_PAIR = ("who said [MASK]?", "The man by the [MASK].")


def predictions(name, options, compute, inputs):
    return record_predictions(name, options, compute, [text_record(*text) for text in inputs])


def record_predictions(name, options, compute, records):
    model = Model(name)
    return [{"tool": "bert-predict", "options": options, "input": record, "output": compute(model, record)}
            for record in records]


def embedding_of(model, record, options):
    """bert-embed's vector for a bare encoder; the keyword arguments are its options."""
    states = model.bert.hidden_states(*model.encode(record))
    layers = [states[layer] for layer in options.get("layers", [-1])]
    combine = options.get("combine", "concat")
    total = torch.cat(layers, 1) if combine == "concat" else sum(layers)
    total = total / len(layers) if combine == "mean" else total
    pooling = options.get("pooling", "mean")
    if pooling == "none":
        tokens = [model.tokenizer.pieces[number] for number in model.encode(record)[0]]
        return {"tokens": tokens, "embeddings": [rounded(row) for row in total]}
    vector = model.bert.pooled(total)[0] if pooling == "pooler" else pool(pooling, total)[0]
    vector = vector[: options.get("dim", len(vector))]
    return {"embedding": rounded(vector / vector.norm() if options.get("normalize") else vector)}


def command_line(options):
    words = []
    for name, value in options.items():
        words.append("--" + name)
        if value is not True:
            words.append(",".join(map(str, value)) if isinstance(value, list) else str(value))
    return words


def embeddings(name, choices):
    model = Model(name)
    records = [text_record(TEXTS[0]), text_record(TEXTS[2]), text_record(*PAIRS[0])]
    return [{"tool": "bert-embed", "options": command_line(options), "input": record,
             "output": embedding_of(model, record, options)} for options in choices for record in records]


def sentence_embedding(name, options, prompt, texts=None):
    """Lines for a sentence-transformers directory; `prompt` is the prompt in effect."""
    model = Model(name)
    prompt_length = len(model.tokenizer.encode(prompt)[0]) - 1 if prompt else 0  # with [CLS], without [SEP]
    lines = []
    for text in texts or TEXTS:
        ids = model.encode({"text": prompt + text})[0]
        limit = 32 if name == "sentence-old" else 48
        output = {"truncated": True} if len(ids) > limit else {}
        ids = ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]
        output["embedding"] = rounded(model.sentence.embedding(ids, prompt_length)[0])
        lines.append({"tool": "bert-embed", "options": options, "input": {"text": text}, "output": output})
    return lines


def all_lines():
    """(model, its lines)"""
    masked = [(text,) for text in MASKED] + [MASKED_PAIR]
    single = [(text,) for text in TEXTS] + PAIRS
    for name in ("pretraining", "causal", "masked-lm", "half", "brain", "legacy-names"):
        lines = predictions(name, [], fill, masked)
        if name in ("pretraining", "causal"):
            lines += predictions(name, ["--task", "next"], next_sentence, PAIRS)
            lines += predictions(name, ["--task", "perplexity"], perplexity,
                                 [*single, (MASKED[0],), ("",), ("the zzz cat", "")])
            lines += predictions(name, ["--task", "perplexity", "--overflow", "split", "--max-length", "17",
                                        "--overlap", "6"], perplexity_in_windows(17, 6), [(LONG,), (TEXTS[0],)])
        if name == "causal":
            lines += embeddings(name, [{}, {"pooling": "pooler"}, {"pooling": "none"}])
        yield name, lines
    yield "next", predictions("next", ["--task", "next"], next_sentence, PAIRS)
    yield "classify", predictions("classify", [], classify, single)
    yield "weighted", predictions("weighted", [], classify, single)
    yield "regress", predictions("regress", [], regress, single)
    yield "multilabel", predictions("multilabel", [], multilabel, single)
    yield "rank", predictions("rank", [], rank_sigmoid, PAIRS)
    yield "rank-legacy", predictions("rank-legacy", [], regress, PAIRS)  # its activation is the identity
    tagged = [text_record(text) for text in (*TEXTS, LONG, "", "The unreadableness of Kings' overlongings")]
    tagged += [{"words": ["The", "old", "kingdoms", "", " ", "of", "Paris", "!"]}, {"words": []},
               {"words": LONG.split() + ["unnotable"] * 9}]
    short = ["--max-length", "9", "--overlap", "3"]
    yield "tag", (record_predictions("tag", [], tag(), tagged)
                  + [line for how in ("first", "mean", "max") for line in record_predictions(
                      "tag", ["--aggregate", how, *short], tag(how, 9, 3), tagged)])
    asked = [{"question": PAIRS[0][0], "context": PAIRS[0][1]}, {"question": "where is it?", "context": LONG},
             {"question": "", "context": "The unreadableness of Kings' overlongings"},
             {"question": LONG, "context": "the cat and the dog"}]
    wide = ["--n-best", "60"]  # all starts and ends of a window
    yield "answer", (record_predictions("answer", wide, answer(best=60, listed=True), asked)
                     + [line for threshold in (-3, 0, 3) for line in record_predictions(
                         "answer", [*wide, "--max-length", "20", "--stride", "4", "--max-answer-length", "3",
                                    "--no-answer-threshold", str(threshold)],
                         answer(20, 4, 3, 60, True, threshold), asked)])
    yield "choose", record_predictions("choose", [], choose, CHOICES)
    yield "bare", embeddings("bare", [
        {}, {"pooling": "cls"}, {"pooling": "max"}, {"pooling": "pooler"}, {"pooling": "none", "layers": [0]},
        {"layers": [-1, 0]}, {"normalize": True}, {"dim": 8}, {"dim": 8, "normalize": True}])
    yield "sharded", embeddings("sharded", [{}, {"layers": [1, 2], "combine": "sum"},
                                            {"layers": [0, 1, 2], "combine": "mean", "pooling": "cls"}])
    yield "sentence-old", sentence_embedding("sentence-old", [], "", [*TEXTS, LONG])
    yield "sentence-modes", sentence_embedding("sentence-modes", [], "")
    yield "sentence-new", (sentence_embedding("sentence-new", [], "find: ")
                           + sentence_embedding("sentence-new", ["--prompt", "document"], "")
                           + sentence_embedding("sentence-new", ["--prompt", "a word of "], "a word of "))
    yield "sentence-prompt", (sentence_embedding("sentence-prompt", [], "")
                              + sentence_embedding("sentence-prompt", ["--prompt", "query"], "look for the book: "))


def main():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    directory = os.path.join(HERE, "tools")
    texts = {name + ".jsonl": "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
             for name, lines in all_lines()}
    if "--check" not in sys.argv:
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        for name, text in texts.items():
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        return 0
    found = {}
    for name in os.listdir(directory):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            found[name] = file.read()
    wrong = [name for name in sorted({*texts, *found}) if texts.get(name) != found.get(name)]
    for name in wrong:
        print(f"make_tool_goldens.py: tools/{name} is not what the reference computes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
