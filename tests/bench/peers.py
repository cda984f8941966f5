#!/usr/bin/env python3
"""Measures bert-embed beside other software of today on the same work, and prints tables (Markdown).

    python3 tests/bench/peers.py BUILD_DIR [--rounds 3] [--shapes base,minilm] [--dtypes f32,bf16,int8] [--peers NAME,...]
        [--cases NAME,...] [--folder DIR] [--threads 2]

The model is a BERT of each shape with random weights. Cases: sentences of novels and sequences of 128 tokens, per second; one
text of 16, 128 and 256 tokens, in milliseconds. bert-embed is a process that has started, from writing records to reading their
vectors. The others compute in memory, batches of 32 sequences of like length or single ones,
whichever is faster. All take turns; medians are printed, and how far bert-embed is ahead of the best of the others. What a
peer cannot compute, or this processor, is left out and named.

Needs `pip install torch transformers onnx onnxruntime openvino ctranslate2`, ids of sentences in ../shared/peers (or
$BERT_SHARED), and an otherwise idle machine.
"""
import argparse
import importlib.metadata
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import torch
import transformers as tf

import model_types
from model_types import SHARED, Ours, batches

SHAPES = {
    "base": tf.BertConfig(),
    "minilm": tf.BertConfig(num_hidden_layers=6, hidden_size=384, intermediate_size=1536),
}
LATENCIES = {"one of 16": 16, "one of 128": 128, "one of 256": 256}
VECTORS_AGREE = {"f32": 0.99999, "bf16": 0.99, "int8": 0.95}  # cosine with PyTorch's f32


class Torch:
    package = "torch"

    def __init__(self, directory, graph, dtype, threads):
        torch.set_num_threads(threads)
        model = tf.BertModel.from_pretrained(directory, attn_implementation="sdpa").eval()
        if dtype == "bf16":
            model = model.to(torch.bfloat16)
        elif dtype == "int8":
            model = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
        self.model = model_types.Mean(model)

    def vectors(self, feed):
        with torch.inference_mode():
            return self.model(torch.from_numpy(feed["ids"]), torch.from_numpy(feed["mask"])).float().numpy()


class OnnxRuntime:
    package = "onnxruntime"

    def __init__(self, directory, graph, dtype, threads):
        if dtype == "bf16":
            raise ValueError("has no bf16 on this kind of processor")
        if dtype == "int8":
            from onnxruntime.quantization import QuantType, quantize_dynamic
            exact, graph = graph, graph.with_suffix(".int8.onnx")
            quantize_dynamic(exact, graph, weight_type=QuantType.QInt8)
        self.runtime = model_types.Runtime(graph, threads)

    def vectors(self, feed):
        return self.runtime.vectors([feed])


class OpenVino:
    package = "openvino"

    def __init__(self, directory, graph, dtype, threads):
        if dtype == "int8":
            raise ValueError("needs a graph that was quantized with its own tools")
        import openvino
        self.model = openvino.Core().compile_model(str(graph), "CPU", {
            "INFERENCE_PRECISION_HINT": dtype, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads})

    def vectors(self, feed):
        return self.model(feed)[0]


class CTranslate2:
    package = "ctranslate2"

    def __init__(self, directory, graph, dtype, threads):
        import ctranslate2
        tf.BertConfig.position_embedding_type = "absolute"  # which its converter asks for, and transformers 5 lacks
        converted = directory.with_suffix(".ct2")
        if not converted.exists():
            ctranslate2.converters.TransformersConverter(str(directory)).convert(str(converted))
        self.encoder = ctranslate2.Encoder(
            str(converted), device="cpu", intra_threads=threads, inter_threads=1,
            compute_type={"f32": "float32", "bf16": "bfloat16", "int8": "int8_float32"}[dtype])

    def vectors(self, feed):
        lengths = feed["mask"].sum(1)
        ids = [row[:length].tolist() for row, length in zip(feed["ids"], lengths)]
        states = np.array(self.encoder.forward_batch(ids).last_hidden_state)
        weights = feed["mask"][:, :, None].astype(np.float32)
        return (states * weights).sum(1) / weights.sum(1)


PEERS = {"PyTorch": Torch, "ONNX Runtime": OnnxRuntime, "OpenVINO": OpenVino, "CTranslate2": CTranslate2}


def seconds(peer, feeds):
    begin = time.perf_counter()
    for feed in feeds:
        peer.vectors(feed)
    return time.perf_counter() - begin


def latency(peer, sequence, turns=24):
    feeds = list(batches([sequence], 1))
    return statistics.median([seconds(peer, feeds) for _ in range(turns)][turns // 6:])


def agrees(vectors, expected, dtype):
    cosine = (vectors * expected).sum(1) / np.linalg.norm(vectors, axis=1) / np.linalg.norm(expected, axis=1)
    if cosine.min() < VECTORS_AGREE[dtype]:
        raise ValueError(f"computes other vectors: cosine {cosine.min():.4f} with PyTorch's f32")


def usable_peers(names, directory, graph, dtype, threads, texts, expected):
    peers = {}
    for name in names:
        try:
            peer = PEERS[name](directory, graph, dtype, threads)
            agrees(np.concatenate([peer.vectors(feed) for feed in batches(texts, 1)]), expected, dtype)
            peers[name] = peer
        except Exception as error:  # each package has its own kinds
            print(f"{name}, {dtype}: left out: {str(error).splitlines()[0]}", file=sys.stderr)
    return peers


def fastest_feeds(peer, sequences):
    ways = [list(batches(ordered, size)) for ordered, size in ((sorted(sequences, key=len), 32), (sequences, 1))]
    return min(ways, key=lambda feeds: seconds(peer, feeds))


def print_row(case, ours, theirs, names, better, unit):
    """`better` is how much better the first of two figures is, as a ratio."""
    ratio = min((better(ours, found) for found in theirs.values()), default=None)
    figures = [f"{theirs[name]:.{unit}f}" if name in theirs else "–" for name in names]
    print("| " + " | ".join([case, f"{ours:.{unit}f}", *figures, f"{ratio:.2f}" if ratio else "–"]) + " |", flush=True)


def measure(shape, dtype, options, folder, sequences):
    graph = folder / f"{shape}.onnx"
    directory = model_types.write_model(shape, folder)
    names = options.peers.split(",")
    texts = sequences["sentences"][:8]
    expected = np.concatenate([Torch(directory, graph, "f32", options.threads).vectors(feed) for feed in batches(texts, 1)])
    peers = usable_peers(names, directory, graph, dtype, options.threads, texts, expected)
    ours = Ours(options.build, directory, folder, options.threads, "--dtype", dtype)
    try:
        agrees(ours.run(texts)[1].reshape(len(texts), -1), expected, dtype)
    except subprocess.CalledProcessError:
        print(f"bert-embed, {dtype}: left out", file=sys.stderr)
        return
    print(f"\n| {shape}, {dtype}, {options.threads} threads | bert-embed | " + " | ".join(names) + " | ahead of the best by |")
    print("|---" * (3 + len(names)) + "|")
    for case in options.cases.split(","):
        ours_found, found = [], {name: [] for name in peers}
        if case in LATENCIES:
            for _ in range(options.rounds):
                ours_found.append(1e3 * ours.latency(sequences[case], turns=24))
                for name, peer in peers.items():
                    found[name].append(1e3 * latency(peer, sequences[case]))
        else:
            feeds = {name: fastest_feeds(peer, sequences[case]) for name, peer in peers.items()}
            for _ in range(options.rounds):
                ours_found.append(ours.rate(sequences[case]))
                for name, peer in peers.items():
                    found[name].append(len(sequences[case]) / seconds(peer, feeds[name]))
        theirs = {name: statistics.median(values) for name, values in found.items()}
        mine = statistics.median(ours_found)
        if case in LATENCIES:
            print_row(case + " tokens, ms", mine, theirs, names, lambda a, b: b / a, 1 if shape == "base" else 2)
        else:
            print_row(case + ", /s", mine, theirs, names, lambda a, b: a / b, 1)


def processor():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "?")
    flags = next((line.split() for line in lines if line.startswith("flags")), [])
    return model + ", " + " ".join(flag for flag in ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile") if flag in flags)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda name: Path(name).resolve())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--dtypes", default="f32,bf16,int8")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--cases", default="sentences,sequences of 128," + ",".join(LATENCIES))
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    lines = (SHARED / "peers/sentences.ids").read_text().splitlines()[:256]
    sequences = {"sentences": [[int(word) for word in line.split()] for line in lines],
                 "sequences of 128": [[1000 + (17 * i + 31 * j) % 29000 for j in range(128)] for i in range(96)]}
    for case, length in LATENCIES.items():
        sequences[case] = [101] + list(range(2000, 2000 + length - 2)) + [102]
    packages = ["transformers"] + [PEERS[name].package for name in options.peers.split(",")]
    print(processor() + "; " + ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages))
    for shape, config in SHAPES.items():
        model_types.TYPES[shape] = (config, tf.BertModel)
    with tempfile.TemporaryDirectory() as name:
        for shape in options.shapes.split(","):
            for dtype in options.dtypes.split(","):
                measure(shape, dtype, options, options.folder or Path(name), sequences)


if __name__ == "__main__":
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    warnings.simplefilter("ignore")
    main()
