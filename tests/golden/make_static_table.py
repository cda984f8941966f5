#!/usr/bin/env python3
"""Writes tests/golden/static-table: tables of static vectors that bert-convert --static must make of models in
tests/golden/cut, computed by transformers in float64 and scikit-learn: TYPE.json has the size, the coefficient of the
weights, the tokens, their vectors and the largest number that a model's vector gives before the means are taken away,
to which the error of f32 belongs. words.txt has tokens and words that the model of words.json lacks. short.json has the
rows of tests/golden/static/words, shortened. Needs torch, transformers 5, safetensors and scikit-learn."""
import json
import os
import shutil

import numpy
import torch
import transformers as tf
from safetensors.numpy import load_file
from sklearn.decomposition import PCA
from sklearn.decomposition import TruncatedSVD

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "static-table")
WORDS = ["[UNK]", "the", "castle", "s", "##s", "thesnow", "zuriching", "old", "r", "##w", "kings", "a", "was"]
# name: type, numbers of a vector, coefficient of the weights
TABLES = {"bert": ("bert", 5, 1e-4), "roberta": ("roberta", 12, 1e-3), "xlm-roberta": ("xlm-roberta", 3, 0),
          "words": ("bert", 4, 1e-2)}


def tokens_of(fast, tokenizer, name):
    if name == "words":
        return WORDS
    tokens = [token for token, _ in sorted(fast.get_vocab().items(), key=lambda item: item[1])]
    if tokenizer["model"]["type"] == "WordPiece":
        dropped = {fast.cls_token, fast.sep_token, fast.mask_token}
        tokens = [token for token in tokens if token not in dropped]
    return tokens


def vectors_of(folder, fast, tokens):
    model = tf.AutoModel.from_pretrained(folder).double().eval()
    known = fast.get_vocab()
    rows = []
    with torch.no_grad():
        for token in tokens:
            ids = [known[token]] if token in known else fast(token, add_special_tokens=False)["input_ids"]
            states = model(input_ids=torch.tensor([[fast.cls_token_id, *ids, fast.sep_token_id]])).last_hidden_state
            rows.append(states[0].mean(0).numpy())
    return numpy.stack(rows)


def weights_of(count, a):
    inverse = 1 / numpy.arange(2, count + 2)
    return a / (a + inverse / inverse.sum()) if a > 0 else numpy.ones(count)


def positive(scores):
    """The component's score of largest magnitude is positive."""
    return scores * numpy.sign(scores[numpy.abs(scores).argmax(0), range(scores.shape[1])])


def write_short(size):
    (rows,) = load_file(os.path.join(HERE, "static", "words", "model.safetensors")).values()
    scores = positive(TruncatedSVD(size, algorithm="arpack").fit_transform(rows.astype(numpy.float64)))
    with open(os.path.join(OUT, "short.json"), "w", encoding="utf-8") as out:
        json.dump({"vectors": [[float(f"{x:.7g}") for x in row] for row in scores]}, out)
        out.write("\n")


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    write_short(7)
    with open(os.path.join(OUT, "words.txt"), "w", encoding="utf-8") as file:
        file.write("".join(word + "\n" for word in WORDS))
    for name, (source, size, a) in TABLES.items():
        folder = os.path.join(HERE, "cut", source)
        fast = tf.AutoTokenizer.from_pretrained(folder)
        with open(os.path.join(folder, "tokenizer.json"), encoding="utf-8") as file:
            tokens = tokens_of(fast, json.load(file), name)
        vectors = vectors_of(folder, fast, tokens)
        weights = weights_of(len(tokens), a)[:, None]
        table = positive(PCA(size, svd_solver="full").fit_transform(vectors)) * weights
        with open(os.path.join(OUT, name + ".json"), "w", encoding="utf-8") as out:
            json.dump({"type": source, "size": size, "sif": a, "tokens": tokens,
                       "largest": float(f"{numpy.abs(vectors * weights).max():.3g}"),
                       "vectors": [[float(f"{x:.7g}") for x in row] for row in table]}, out, ensure_ascii=False)
            out.write("\n")


if __name__ == "__main__":
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    main()
