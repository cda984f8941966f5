#!/usr/bin/env python3
"""Writes tests/golden/static: small models of static vectors with random numbers. `words` is as model2vec saves it, with
WordPiece and without special tokens but [UNK], normalized; `bytes` as sentence-transformers does, with byte-level BPE.
expected.jsonl in each has texts with their ids and vectors, computed by sentence-transformers; losses.json in `bytes` has
the losses of steps of training, computed by PyTorch. Needs torch and sentence-transformers 6."""
import json
import os
import shutil

import torch
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")
CORPUS = ["The king and the queen said it was a good year for the old castle.",
          "Snow fell on the mountains, and the river was cold.", "A naïve café in Zürich isn't far: 12 km."] * 4
TEXTS = ["The king was in the castle.", "", "naïve café — Zürich 🙂", "  two   spaces\tand a tab ", "xyz [UNK] 中文", "\n"]
PAIRS = [["the king", "a queen"], ["snow", "the river was cold"], ["old", "a good year"], ["Zürich", "far"]]


def word_pieces():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(CORPUS, trainers.WordPieceTrainer(
        vocab_size=80, special_tokens=["[PAD]", "[UNK]"], show_progress=False))
    return tokenizer


def byte_bpe():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<unk>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


def as_model2vec(folder, tokenizer):
    os.makedirs(os.path.join(folder, "1_Normalize"))
    tokenizer.save(os.path.join(folder, "tokenizer.json"))
    table = torch.randn(tokenizer.get_vocab_size(), 12).half()
    save_file({"embeddings": table}, os.path.join(folder, "model.safetensors"))
    modules = [{"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"},
               {"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"}]
    for name, content in [("modules.json", modules), ("config.json", {"model_type": "model2vec", "normalize": True})]:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            json.dump(content, out, indent=2)


def losses(folder):
    """Multiple negatives ranking with Adam: scale 20, learning rate 0.05, no weight decay, gradients clipped at norm 1."""
    table = SentenceTransformer(folder, device="cpu")[0]
    optimizer = torch.optim.Adam(table.parameters(), lr=0.05, betas=(0.9, 0.999), eps=1e-8)
    found = []
    for _ in range(5):
        vectors = [torch.nn.functional.normalize(table(table.preprocess(list(texts)))["sentence_embedding"].double())
                   for texts in zip(*PAIRS)]
        loss = torch.nn.functional.cross_entropy(20 * vectors[0] @ vectors[1].T, torch.arange(len(PAIRS)))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(table.parameters(), 1.0)
        optimizer.step()
        found.append(loss.item())
    return found


def expect(folder):
    model = SentenceTransformer(folder, device="cpu").float()
    with open(os.path.join(folder, "expected.jsonl"), "w", encoding="utf-8") as out:
        for text, vector in zip(TEXTS, model.encode(TEXTS).astype("float64")):
            ids = model[0].tokenizer.encode(text, add_special_tokens=False).ids
            print(json.dumps({"text": text, "ids": ids, "vector": vector.tolist()}, ensure_ascii=False), file=out)


def main():
    shutil.rmtree(HERE, ignore_errors=True)
    torch.manual_seed(7)
    words, plain = os.path.join(HERE, "words"), os.path.join(HERE, "bytes")
    as_model2vec(words, word_pieces())
    SentenceTransformer(modules=[StaticEmbedding(byte_bpe(), embedding_dim=12)], device="cpu").save(
        plain, create_model_card=False)
    for folder in (words, plain):
        expect(folder)
    with open(os.path.join(plain, "pairs.jsonl"), "w", encoding="utf-8") as out:
        for text, other in PAIRS:
            print(json.dumps({"text": text, "text_pair": other}, ensure_ascii=False), file=out)
    with open(os.path.join(plain, "losses.json"), "w", encoding="utf-8") as out:
        json.dump(losses(plain), out)


if __name__ == "__main__":
    main()
