#!/usr/bin/env python3
"""Measures what weights of 4 bits would cost: the cosine of a model's mean vectors with those of its f32 weights.

    python3 tests/bench/four_bits.py MODEL TEXTS

The weights of the encoder's layers are rounded in groups of each row, with the scale (and for `asymmetric` the zero) of each
group that has the least squared error; activations stay f32. TEXTS has a text a line.

Needs `pip install torch transformers`.
"""
import argparse
import copy

import torch
import transformers as tf

FORMS = [(8, 384, "symmetric"), (5, 32, "symmetric"), (4, 128, "symmetric"), (4, 64, "symmetric"), (4, 32, "symmetric"),
         (4, 32, "asymmetric"), (4, 16, "asymmetric")]
BATCH = 32


def rounded(weight, bits, group, form):
    """The weight [N,K] in `bits`, each group of a row by itself."""
    numbers = weight.reshape(weight.shape[0], -1, min(group, weight.shape[1]))
    low, high = numbers.amin(-1, keepdim=True), numbers.amax(-1, keepdim=True)
    if form == "symmetric":
        high = torch.maximum(high, -low)
        low = -high
    best, least = numbers, torch.full_like(low, torch.inf)
    for factor in torch.linspace(0.6, 1, 21):
        zero, step = low * factor, (high - low) * factor / (2**bits - (2 if form == "symmetric" else 1))
        found = ((numbers - zero) / step).round().clamp(0, 2**bits - 1) * step + zero
        error = ((found - numbers) ** 2).sum(-1, keepdim=True)
        best, least = torch.where(error < least, found, best), torch.minimum(error, least)
    return best.reshape(weight.shape)


def vectors(model, tokenizer, texts):
    parts = []
    for first in range(0, len(texts), BATCH):
        batch = tokenizer(texts[first:first + BATCH], padding=True, truncation=True, return_tensors="pt")
        mask = batch["attention_mask"][..., None]
        states = model(**batch).last_hidden_state
        parts.append((states * mask).sum(1) / mask.sum(1))
    return torch.cat(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("texts")
    options = parser.parse_args()
    with open(options.texts, encoding="utf-8") as file:
        texts = [line.strip() for line in file if line.strip()]
    tokenizer = tf.AutoTokenizer.from_pretrained(options.model)
    exact = tf.AutoModel.from_pretrained(options.model).eval()
    expected = vectors(exact, tokenizer, texts)
    print(f"| {len(texts)} texts | bits | group | cosine, mean | minimum |\n|---|---|---|---|---|")
    for bits, group, form in FORMS:
        model = copy.deepcopy(exact)
        for layer in model.encoder.modules():
            if isinstance(layer, torch.nn.Linear):
                layer.weight.data = rounded(layer.weight.data, bits, group, form)
        cosine = torch.nn.functional.cosine_similarity(vectors(model, tokenizer, texts), expected)
        print(f"| {form} | {bits} | {group} | {cosine.mean():.4f} | {cosine.min():.4f} |", flush=True)


if __name__ == "__main__":
    with torch.inference_mode():
        main()
