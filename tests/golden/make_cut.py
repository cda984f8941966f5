#!/usr/bin/env python3
"""Writes tests/golden/cut: for each type of model a small masked language model of four layers with random weights and its
tokenizer, as transformers saves it; kept.txt, some of its tokens in another order; and expected.jsonl, what the model
computes of texts when it is cut to LAYERS and these tokens: ids, the mean of the last hidden states and, for texts with a
mask, the best tokens. The cut is made here in Python, with a shorter ModuleList and indexed embeddings, and computed in
float64. Needs torch and transformers 5."""
import inspect
import json
import os
import random
import re
import shutil
import unicodedata

import torch
import transformers as tf
from tokenizers import Tokenizer, pre_tokenizers

from make_type_models import CORPUS, TEXTS, fast_tokenizer

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cut")
LAYERS = [0, 2]
SIZES = dict(hidden_size=12, num_hidden_layers=4, num_attention_heads=2, intermediate_size=20, initializer_range=0.3,
             max_position_embeddings=42)
ROBERTA = SIZES | dict(type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2, layer_norm_eps=1e-5)


def tokenizer_of(name):
    """That of a model in type-models: training it again breaks ties in another way."""
    return Tokenizer.from_file(os.path.join(os.path.dirname(HERE), "type-models", name, "tokenizer.json"))


def bert_tokenizer():
    text = "".join(c for c in unicodedata.normalize("NFD", " ".join(CORPUS).lower()) if not unicodedata.combining(c))
    characters = sorted(set(text) - {" "})
    words = sorted(set(re.findall("[a-z]{3,}", text)))
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *("##" + c for c in characters if c.isalnum()),
              *dict.fromkeys(words[::2] + ["the", "king", "castle", "was", "old"])]
    return tf.BertTokenizer(vocab={token: i for i, token in enumerate(tokens)}, model_max_length=40)


def mpnet_tokenizer():
    return tf.MPNetTokenizer(vocab=tokenizer_of("mpnet").get_vocab(), model_max_length=40)


TYPES = {
    "bert": (tf.BertConfig, tf.BertForMaskedLM, SIZES, bert_tokenizer),
    "distilbert": (tf.DistilBertConfig, tf.DistilBertForMaskedLM, dict(
        dim=12, n_layers=4, n_heads=2, hidden_dim=20, initializer_range=0.3, max_position_embeddings=42), bert_tokenizer),
    "electra": (tf.ElectraConfig, tf.ElectraForMaskedLM, SIZES | dict(embedding_size=8), bert_tokenizer),
    "albert": (tf.AlbertConfig, tf.AlbertForMaskedLM, SIZES | dict(
        embedding_size=8, num_hidden_groups=2, pad_token_id=1, bos_token_id=0, eos_token_id=2),
        lambda: fast_tokenizer(tokenizer_of("xlm-roberta"))),
    "mpnet": (tf.MPNetConfig, tf.MPNetForMaskedLM, SIZES | dict(layer_norm_eps=1e-5), mpnet_tokenizer),
    "roberta": (tf.RobertaConfig, tf.RobertaForMaskedLM, ROBERTA, lambda: fast_tokenizer(tokenizer_of("roberta"))),
    "camembert": (tf.CamembertConfig, tf.CamembertForMaskedLM, ROBERTA, lambda: fast_tokenizer(tokenizer_of("xlm-roberta"))),
    "xlm-roberta": (tf.XLMRobertaConfig, tf.XLMRobertaForMaskedLM, ROBERTA, lambda: fast_tokenizer(tokenizer_of("xlm-roberta"))),
}


def texts_for(fast):
    return [(text.replace("<mask>", fast.mask_token), pair) for text, pair in TEXTS]


def encoded(fast, text, pair):
    return fast([text], None if pair is None else [pair], return_tensors="pt")


def merged_from(tokens, tokenizer):
    """The tokens, those that BPE merges them from, and the bytes."""
    alphabet = set(pre_tokenizers.ByteLevel.alphabet())
    ranks = {tuple(pair): rank for rank, pair in enumerate(tokenizer["model"]["merges"])}
    kept = set(tokens) | alphabet
    for token in tokens:
        parts = list(token)
        while True:
            pairs = [(ranks[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in ranks]
            if not pairs or token not in tokenizer["model"]["vocab"]:
                break
            place = min(pairs)[1]
            parts[place:place + 2] = ["".join(parts[place:place + 2])]
            kept.add(parts[place])
    return kept


def kept_tokens(fast, folder):
    """Those of the texts. Special tokens stay where they are; tokens that were added to the vocabulary are the last."""
    with open(os.path.join(folder, "tokenizer.json"), encoding="utf-8") as file:
        tokenizer = json.load(file)
    ids = {token for text, pair in texts_for(fast) for token in encoded(fast, text, pair)["input_ids"][0].tolist()}
    tokens = set(fast.convert_ids_to_tokens(sorted(ids)))
    if tokenizer["model"]["type"] == "BPE":
        tokens = merged_from(tokens, tokenizer)
    added = [token["content"] for token in tokenizer["added_tokens"]]
    mask = [fast.mask_token]
    middle = sorted(tokens - set(added))
    random.Random(7).shuffle(middle)
    first = sorted(set(added) - set(mask), key=fast.convert_tokens_to_ids)
    unknown = fast.convert_ids_to_tokens([3]) if fast.pad_token_id == 1 else []
    return list(dict.fromkeys(first[:3] + unknown + first[3:] + middle + mask))


def cut(model, rows):
    """Shortens the list of layers and indexes the embeddings and the decoder."""
    base = model.base_model
    if model.config.model_type == "albert":  # layers 0 and 2 are of different groups
        model.config.num_hidden_layers = len(LAYERS)
    else:
        holder = base.transformer if model.config.model_type == "distilbert" else base.encoder
        holder.layer = torch.nn.ModuleList([holder.layer[i] for i in LAYERS])
        model.config.num_hidden_layers = len(LAYERS)
    decoder = model.get_output_embeddings()
    words = base.embeddings.word_embeddings.weight.detach()[rows]
    bias = decoder.bias.detach()[rows]
    base.embeddings.word_embeddings = torch.nn.Embedding.from_pretrained(words)
    decoder.weight, decoder.bias = torch.nn.Parameter(words), torch.nn.Parameter(bias)
    model.config.vocab_size = len(rows)
    return model


def expect(folder, model, fast, kept):
    rows = fast.convert_tokens_to_ids(kept)
    model = cut(model, rows)
    names = inspect.signature(model.forward).parameters
    with open(os.path.join(folder, "expected.jsonl"), "w", encoding="utf-8") as out, torch.no_grad():
        for text, pair in texts_for(fast):
            inputs = {name: value for name, value in encoded(fast, text, pair).items() if name in names}
            ids = [rows.index(i) for i in inputs["input_ids"][0].tolist()]
            output = model(**inputs | {"input_ids": torch.tensor([ids])}, output_hidden_states=True)
            record = {"text": text} | ({} if pair is None else {"text_pair": pair})
            record["ids"] = ids
            record["mean"] = output.hidden_states[-1][0].mean(0).float().tolist()
            masks = [i for i, token in enumerate(ids) if kept[token] == fast.mask_token]
            if masks:
                record["best"] = [kept[i] for i in output.logits[0, masks[0]].topk(3).indices.tolist()]
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


def make(name, config_class, model_class, keys, tokenizer):
    folder = os.path.join(HERE, name)
    torch.manual_seed(7)
    fast = tokenizer()
    source = model_class(config_class(vocab_size=len(fast), **keys))
    for parameter in source.parameters():  # also those that are zeros or ones at first
        torch.nn.init.normal_(parameter, 0, 0.3)
    source.save_pretrained(folder)
    fast.save_pretrained(folder)
    kept = kept_tokens(fast, folder)
    with open(os.path.join(folder, "kept.txt"), "w", encoding="utf-8") as file:
        file.write("".join(token + "\n" for token in kept))
    expect(folder, model_class.from_pretrained(folder).double().eval(), fast, kept)
    if os.path.exists(path := os.path.join(folder, "generation_config.json")):
        os.remove(path)


def main():
    shutil.rmtree(HERE, ignore_errors=True)
    for name, row in TYPES.items():
        make(name, *row)


if __name__ == "__main__":
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    main()
