#!/usr/bin/env python3
"""Time of one text against its length: ModernBERT, two of whose three layers see 64 tokens on each side, nomic-bert, all of
whose layers see all tokens, DeBERTa v3 with its relative positions, and Jina's BERT with linear biases, which PyTorch's own
attention adds, at the base sizes with random weights, f32. bert-embed is
timed as a whole process with two and six texts; the difference is that of four. PyTorch runs in this process, after a
first run of each length. Medians, interleaved. Needs torch and transformers 5.

usage: lengths.py DIRECTORY_OF_THE_TOOLS [--threads N] [--rounds N] [--lengths LENGTH...] [--types TYPE...]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import transformers as tf

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
import jina_reference  # noqa: E402

VOCAB = 1000


class FusedAttention(jina_reference.SelfAttention):
    def forward(self, states, mask):
        query, key, value = (layer(states).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                             for layer in (self.query, self.key, self.value))
        places = torch.arange(states.shape[1])
        slopes = torch.tensor(jina_reference.slopes(self.heads))[:, None, None]
        bias = -slopes * (places[:, None] - places).abs()
        found = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=bias[None])
        return found.transpose(1, 2).flatten(2), None


def make_model(folder, name):
    torch.manual_seed(1)
    common = dict(vocab_size=VOCAB, max_position_embeddings=8192, pad_token_id=0)
    if name == "modernbert":
        config = tf.ModernBertConfig(**common, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2)
        model = tf.ModernBertModel(config)
    elif name == "deberta-v2":
        model = tf.DebertaV2Model(tf.DebertaV2Config(
            **common, hidden_size=768, num_hidden_layers=12, num_attention_heads=12, intermediate_size=3072,
            type_vocab_size=0, relative_attention=True, position_buckets=256, max_relative_positions=512,
            norm_rel_ebd="layer_norm", share_att_key=True, pos_att_type="p2c|c2p", position_biased_input=False))
    elif name == "jina_bert":
        model = jina_reference.jina("Model")(tf.BertConfig(**common, position_embedding_type="alibi",
                                                           feed_forward_type="geglu"))
        for module in model.modules():
            if isinstance(module, jina_reference.SelfAttention):
                module.__class__ = FusedAttention
    else:
        model = tf.NomicBertModel(tf.NomicBertConfig(**common))
    model.eval().save_pretrained(folder)
    words = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]", *map(str, range(VOCAB - 5))]
    with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8") as file:
        file.write("".join(word + "\n" for word in words))
    return model


def seconds_of(tool, folder, length, threads, texts):
    draw = torch.Generator().manual_seed(length)
    records = "".join(json.dumps({"input_ids": torch.randint(5, VOCAB, (length,), generator=draw).tolist()}) + "\n"
                      for _ in range(texts))
    begin = time.perf_counter()
    subprocess.run([tool, "-q", "-m", folder, "--pooling", "mean", "--dtype", "f32", "-j", str(threads), "--batch-tokens",
                    "1", "--format", "npy", "-o", os.path.join(folder, "vectors.npy")], input=records.encode(), check=True)
    return time.perf_counter() - begin


def torch_seconds(model, length):
    ids = torch.randint(5, VOCAB, (1, length))
    begin = time.perf_counter()
    with torch.inference_mode():
        model(input_ids=ids)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tools")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lengths", type=int, nargs="+", default=[128, 512, 2048, 8192])
    parser.add_argument("--types", nargs="+", default=["modernbert", "nomic_bert", "deberta-v2", "jina_bert"])
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    tool = os.path.join(options.tools, "bert-embed")
    print(f"torch {torch.__version__}, transformers {tf.__version__}, {options.threads} threads")
    print("| | tokens | bert-embed, ms | PyTorch, ms | ratio | bert-embed, µs for a token |\n|---|---|---|---|---|---|")
    for name in options.types:
        with tempfile.TemporaryDirectory() as folder:
            model = make_model(folder, name)
            for length in options.lengths:
                torch_seconds(model, length)
                ours, theirs = [], []
                for _ in range(options.rounds):
                    few, more = (seconds_of(tool, folder, length, options.threads, texts) for texts in (2, 6))
                    ours.append((more - few) / 4)
                    theirs.append(torch_seconds(model, length))
                our, their = statistics.median(ours), statistics.median(theirs)
                print(f"| {name} | {length:,} | {our * 1e3:.0f} | {their * 1e3:.0f} | {their / our:.2f} | "
                      f"{our * 1e6 / length:.0f} |", flush=True)


if __name__ == "__main__":
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    main()
