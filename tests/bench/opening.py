#!/usr/bin/python3
"""Measures the cost of opening a model in each weight format, and prints one table (Markdown).

    /usr/bin/python3 tests/bench/opening.py BUILD_DIR --models DIR [--rounds 9] [--converts 3]

The models are one BERT-base with random weights as safetensors, as torch.save writes it now and wrote it
before 1.6, and as Google released its checkpoints; they are created in DIR (1.7 GB) if missing. bert-embed
opens each and computes the vector of one short text; bert-convert converts each. The formats are measured in
turn; medians are reported. Peak memory is measured in separate runs by reading /proc every millisecond:
RssAnon, the process's own pages, and RssFile, the pages of mapped files, which the system can reclaim at any
time. Needs python3-torch; without BUILD_DIR only the models are created.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import row, table  # also adds tests/golden to the path

import bundle_file
import make_checkpoints
from random_model import config_of, encoder_shapes, head_shapes, random_tensors, with_prefix, write_directory
from vocabulary import numbered_vocabulary

FORMS = {"safetensors": "model.safetensors", "zip": "pytorch_model.bin", "stream": "pytorch_model.bin",
         "tensorflow": "bert_model.ckpt.data-00000-of-00001"}
NAMES = {"safetensors": "safetensors", "zip": "PyTorch, zip", "stream": "PyTorch, before 1.6",
         "tensorflow": "TensorFlow, sums verified"}
TEXT = b"piece70 piece80 piece90 piece100\n"


def make_models(root):
    vocabulary = numbered_vocabulary(30522)
    config = config_of(12, 768, 12, 3072, vocab_size=len(vocabulary), architectures=["BertForPreTraining"],
                       max_position_embeddings=512) | {"hidden_act": "gelu_new"}
    tensors = with_prefix(random_tensors("opening", encoder_shapes(config)
                                         | head_shapes(config, ["pooler", "mlm", "nsp"])))
    write_directory(root / "safetensors", config, vocabulary, tensors)
    state = make_checkpoints.state_dictionary(tensors)
    for form in ("zip", "stream"):
        make_checkpoints.save(root / form / FORMS[form], state, stream=form == "stream")
        shutil.copy(root / "safetensors/config.json", root / form)
    make_checkpoints.write_google(root / "tensorflow", config, tensors, trained=False, shards=1)
    for form in ("zip", "stream", "tensorflow"):
        shutil.copy(root / "safetensors/vocab.txt", root / form)


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, input=TEXT, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def peak_memory(command):
    """The peak of RssAnon and of RssFile in MiB."""
    peaks = {"RssAnon": 0, "RssFile": 0}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        process.stdin.write(TEXT)
        process.stdin.close()
        while process.poll() is None:
            try:
                lines = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines()
            except ProcessLookupError:
                break
            for line in lines:
                key = line.split(":")[0]
                if key in peaks:
                    peaks[key] = max(peaks[key], int(line.split()[1]) / 1024)
            time.sleep(0.001)
    if process.returncode != 0:
        sys.exit(f"{command}: exit {process.returncode}")
    return peaks


def turns(rounds, commands):
    """Runs the commands in turn; returns the median seconds of each."""
    times = [[seconds(command) for command in commands] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times)]


def measure(tools, models, rounds, converts):
    embeds = [[tools / "bert-embed", "-m", models / form] for form in FORMS]
    with tempfile.TemporaryDirectory(dir=models) as folder:
        conversions = [[tools / "bert-convert", models / form, "--force", "--out", Path(folder) / "out"] for form in FORMS]
        opened, converted = turns(rounds, embeds), turns(converts, conversions)
        memory = [[peak_memory(command) for command in pair] for pair in zip(embeds, conversions)]
    table("BERT-base, f32", "first vector", "times", "own memory", "of the file", "bert-convert", "own memory")
    for number, (form, name) in enumerate(NAMES.items()):
        embed, convert = memory[number]
        row(name, f"{opened[number] * 1000:.0f} ms", f"{opened[number] / opened[0]:.2f}",
            f"{embed['RssAnon']:.0f} MiB", f"{embed['RssFile']:.0f} MiB", f"{converted[number]:.2f} s",
            f"{convert['RssAnon']:.0f} MiB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?")
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--converts", type=int, default=3)
    options = parser.parse_args()
    if not all((options.models / form / file).exists() for form, file in FORMS.items()):
        make_models(options.models)
    if options.build:
        for form, file in FORMS.items():  # load it into the page cache
            subprocess.run(["cat", options.models / form / file], stdout=subprocess.DEVNULL, check=True)
        measure(Path(options.build).resolve() / "cmd", options.models, options.rounds, options.converts)


if __name__ == "__main__":
    main()
