#!/usr/bin/env python3
"""Measures bert-embed beside ONNX Runtime for each model type, and prints one table (Markdown).

    python3 tests/bench/model_types.py BUILD_DIR [--rounds 3] [--only TYPE,...] [--folder DIR] [--threads 2]

Models have random weights and the sizes of each type's base model. ONNX Runtime gets the graph that transformers'
model exports to, and the same after its own optimizer for transformers has joined operations; the better of both is
measured, in batches of 32 sequences of like length or one by one, whichever is faster. Needs pip's torch, transformers, onnx,
onnxscript and onnxruntime, and ids of sentences in ../shared/peers (or $BERT_SHARED).
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import onnxruntime as ort
import torch
import transformers as tf
from onnxruntime.transformers import optimizer

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
SHARED = Path(os.environ.get("BERT_SHARED", PROJECT.parent / "shared"))
LARGE_VOCABULARY = 50265
TYPES = {
    "bert": (tf.BertConfig(), tf.BertModel),
    "roberta": (tf.RobertaConfig(vocab_size=LARGE_VOCABULARY, max_position_embeddings=514, type_vocab_size=1),
                tf.RobertaModel),
    "xlm-roberta": (tf.XLMRobertaConfig(vocab_size=LARGE_VOCABULARY, max_position_embeddings=514, type_vocab_size=1),
                    tf.XLMRobertaModel),
    "camembert": (tf.CamembertConfig(vocab_size=LARGE_VOCABULARY, max_position_embeddings=514, type_vocab_size=1),
                  tf.CamembertModel),
    "distilbert": (tf.DistilBertConfig(), tf.DistilBertModel),
    "electra": (tf.ElectraConfig(hidden_size=768, intermediate_size=3072, num_attention_heads=12, embedding_size=768),
                tf.ElectraModel),
    "mpnet": (tf.MPNetConfig(vocab_size=30527, max_position_embeddings=514), tf.MPNetModel),
    "albert": (tf.AlbertConfig(hidden_size=768, intermediate_size=3072, num_attention_heads=12, embedding_size=128),
               tf.AlbertModel),
}


class Mean(torch.nn.Module):
    """The mean of the last layer over the tokens of each sequence."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        states = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).to(states.dtype)
        return (states * weights).sum(1) / weights.sum(1)


def write_model(kind, folder):
    """A directory for bert-embed, and the graphs for ONNX Runtime."""
    directory, graph, joined_graph = (folder / name for name in (kind, f"{kind}.onnx", f"{kind}.joined.onnx"))
    if joined_graph.exists():
        return directory
    config, model_class = TYPES[kind]
    torch.manual_seed(1)
    config.architectures = [model_class.__name__]
    config._attn_implementation = "eager"
    model = model_class(config).eval()
    model.save_pretrained(directory)
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"t{i}" for i in range(5, config.vocab_size))]
    (directory / "vocab.txt").write_text("\n".join(names) + "\n")  # the texts are ids already
    (directory / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    ids = torch.full((2, 16), 7, dtype=torch.long)
    axes = {0: "batch", 1: "length"}
    torch.onnx.export(Mean(model), (ids, torch.ones_like(ids)), str(graph), dynamo=False, opset_version=17,
                      input_names=["ids", "mask"], output_names=["mean"],
                      dynamic_axes={"ids": axes, "mask": axes, "mean": {0: "batch"}})
    joined = optimizer.optimize_model(str(graph), model_type="bert", num_heads=12, hidden_size=768)
    joined.save_model_to_file(str(joined_graph))
    print(kind, joined.get_fused_operator_statistics(), file=sys.stderr)
    return directory


def batches(sequences, size):
    for i in range(0, len(sequences), size):
        part = sequences[i:i + size]
        ids = np.full((len(part), max(map(len, part))), 1, np.int64)
        mask = np.zeros_like(ids)
        for row, sequence in enumerate(part):
            ids[row, :len(sequence)] = sequence
            mask[row, :len(sequence)] = 1
        yield {"ids": ids, "mask": mask}


class Runtime:
    def __init__(self, graph, threads):
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = ort.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])

    def vectors(self, feeds):
        return np.concatenate([self.session.run(None, feed)[0] for feed in feeds])

    def rate(self, feeds):
        start = time.perf_counter()
        self.vectors(feeds)
        return sum(len(feed["ids"]) for feed in feeds) / (time.perf_counter() - start)

    def latency(self, sequence, turns=30):
        times = []
        for _ in range(turns):
            start = time.perf_counter()
            self.vectors(batches([sequence], 1))
            times.append(time.perf_counter() - start)
        return statistics.median(times[turns // 6:])


class Ours:
    def __init__(self, build, directory, folder, threads, *more):
        self.command = [str(build / "cmd/bert-embed"), "-q", "-m", str(directory), "--pooling", "mean", "-j", str(threads),
                        *more]
        self.folder = folder

    def run(self, sequences, *more):
        path = self.folder / "ids.jsonl"
        path.write_text("".join(json.dumps({"input_ids": ids}) + "\n" for ids in sequences))
        start = time.perf_counter()
        out = subprocess.run([*self.command, "--format", "f32", *more, str(path)], check=True, stdout=subprocess.PIPE)
        return time.perf_counter() - start, np.frombuffer(out.stdout, np.float32)

    def rate(self, sequences):
        """From writing the records to reading their last vector, in a process that has had some before."""
        with Running(self.command) as running:
            running.seconds(sequences[:1])
            return len(sequences) / running.seconds(sequences)

    def latency(self, sequence, turns=30):
        """From writing a record to reading its vector."""
        with Running(self.command) as running:
            return statistics.median([running.seconds([sequence]) for _ in range(turns)][turns // 6:])


class Running:
    """bert-embed with records written to a pipe, and vectors read from one."""

    def __init__(self, command):
        self.process = subprocess.Popen([*command, "--precision", "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.stdin.close()
        self.process.wait()

    def seconds(self, sequences):
        records = "".join(json.dumps({"input_ids": ids}) + "\n" for ids in sequences).encode()
        start = time.perf_counter()
        writer = threading.Thread(target=self.process.stdin.write, args=[records])
        writer.start()
        vectors = 0
        while vectors < len(sequences):
            vectors += self.process.stdout.read(1 << 16).count(b"\n")
        spent = time.perf_counter() - start
        writer.join()
        return spent


def measure(kind, build, folder, rounds, threads):
    lines = (SHARED / "peers/sentences.ids").read_text().splitlines()[:128]
    texts = [[int(word) for word in line.split()] for line in lines]
    full = [[1000 + (17 * i + 31 * j) % 29000 for j in range(128)] for i in range(96)]
    short = full[0][:16]
    ours = Ours(build, write_model(kind, folder), folder, threads)
    peers = [Runtime(folder / name, threads) for name in (f"{kind}.onnx", f"{kind}.joined.onnx")]
    expected = peers[0].vectors(batches(texts[:8], 1))
    found = ours.run(texts[:8])[1].reshape(8, -1)
    if not np.allclose(found, expected, atol=1e-4):
        sys.exit(f"model_types.py: {kind}: the vectors differ by {np.abs(found - expected).max()}")
    row = [kind]
    for sequences in (texts, full):
        ways = [(peer, list(batches(ordered, size))) for peer in peers
                for ordered, size in ((sorted(sequences, key=len), 32), (sequences, 1))]
        peer, feeds = max(ways, key=lambda way: way[0].rate(way[1]))
        turns = [(ours.rate(sequences), peer.rate(feeds)) for _ in range(rounds)]
        mine, other = map(statistics.median, zip(*turns))
        row.append(f"{mine:.1f} / {other:.1f} ({mine / other:.2f})")
    for sequence in (short, full[0]):
        peer = min(peers, key=lambda peer: peer.latency(sequence))
        turns = [(ours.latency(sequence), peer.latency(sequence)) for _ in range(rounds)]
        mine, other = map(statistics.median, zip(*turns))
        row.append(f"{mine * 1e3:.1f} / {other * 1e3:.1f} ({other / mine:.2f})")
    print("| " + " | ".join(row) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default=",".join(TYPES))
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = arguments.folder or Path(name)
        print("| bert-embed / ONNX Runtime | sentences, /s | 128 tokens, /s | one text of 16 tokens, ms | of 128, ms |")
        print("|---|---|---|---|---|")
        for kind in arguments.only.split(","):
            measure(kind, arguments.build.resolve(), folder, arguments.rounds, arguments.threads)


if __name__ == "__main__":
    main()
