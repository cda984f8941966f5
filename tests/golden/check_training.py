#!/usr/bin/python3
"""Compares pre-training gradients with float64 autograd on models too large, or too many, for the repository.

usage: check_training.py [--only NAME]... [--all] TRAINING_PROBE

Small models of random sizes, then Google's. `--all` adds base (half a minute). Each line names the parameter
with the largest error as a fraction of the tolerance: 1e-5·max(‖expected‖, 1e-4·‖expected, all parameters‖).
Losses must agree to 1e-6, and small ones to 1e-6 of ln 2, the loss of a guess: near 0 the relative error of a
loss depends on how confident the model is, not on how exactly it was computed. Exit code 0 if all are within
tolerance, 1 if not, 77 (skipped) without PyTorch.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import fast_blas

os.environ.update(fast_blas.setting())
try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

from make_training import write_pretraining_model
from training_cases import Records
from training_reference import forward_backward, gradients_of, shares_of, trainable

# layers, hidden, heads, feed-forward; vocabulary, positions; lengths per micro-batch; more configuration
LARGE = {
    "tiny, long and short": ((2, 128, 2, 512), 1000, 512, [[512, 3, 3, 64, 65, 255]], {}),
    "mini": ((4, 256, 4, 1024), 8000, 128, [[128, 128]], {}),
    "mini, accumulated": ((4, 256, 4, 1024), 8000, 128, [[128, 17], [9, 100, 3]], {}),
}
SLOW = {"base": ((12, 768, 12, 3072), 5000, 512, [[21, 12]], {"branch": 0.25})}
ACTIVATIONS = ["gelu", "gelu_new", "relu", "silu", "tanh"]


class Failure(Exception):
    pass


def random_subject(number):
    """Sizes that do not match any tile."""
    generator = np.random.RandomState(number)

    def between(low, high):
        return low + int(generator.random_sample() * (high + 1 - low))

    heads = between(1, 5)
    positions = between(20, 150)
    sizes = (between(1, 3), heads * between(5, 40), heads, between(10, 300))
    lengths = [[between(3, positions) for _ in range(between(1, 6))] for _ in range(between(1, 2))]
    return sizes, between(60, 2500), positions, lengths, {"hidden_act": ACTIVATIONS[number % len(ACTIVATIONS)]}


def subjects(options):
    """{name: (sizes, vocabulary, positions, lengths, rest of the configuration)}"""
    found = {f"random {number}": random_subject(number) for number in range(40)}
    found |= LARGE | (SLOW if options.all else {})
    return {name: subject for name, subject in found.items() if not options.only or name in options.only}


def run_probe(probe, directory, step):
    """The program's results: {"mlm_loss", ...}, {parameter: gradient in memory order}."""
    paths = [os.path.join(directory, name) for name in ("step.json", "gradients.f32")]
    with open(paths[0], "w", encoding="utf-8") as file:
        json.dump({"micro_batches": step}, file)
    done = subprocess.run([*probe, directory, *paths], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(probe)}: exit {done.returncode}")
    answer = json.loads(done.stdout)
    numbers = torch.from_numpy(np.fromfile(paths[1], "<f4"))
    counts = [parameter["count"] for parameter in answer["parameters"]]
    if sum(counts) != len(numbers):
        raise Failure(f"{' '.join(probe)}: {len(numbers)} numbers, {sum(counts)} announced")
    return answer, {parameter["name"]: part for parameter, part in zip(answer["parameters"], numbers.split(counts))}


def loss_faults(answer, truth):
    for part in ("mlm_loss", "next_loss"):
        if not abs(answer[part] - truth[part]) <= 1e-6 * max(truth[part], math.log(2)):
            yield f"{part} is {answer[part]}, not {truth[part]}"
    for part in ("masked_right", "next_right"):
        if answer[part] != truth[part]:
            yield f"{part} is {answer[part]}, not {truth[part]}"


def check(probe, name, subject):
    """Whether losses and gradients are within tolerance."""
    sizes, vocabulary, positions, lengths, rest = subject
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as directory:
        write_pretraining_model(directory, name, sizes, vocabulary, positions, **rest)
        records = Records(vocabulary, len(name))
        # Equal labels for all: gradients p - 1 and p of few sequences may cancel beyond float32 precision.
        step = [records.batch(batch, labels=(len(name) % 2,)) for batch in lengths]
        answer, gradients = run_probe(probe, directory, step)
        bert = trainable(directory)
    truth = forward_backward(bert, step)
    exact = {parameter: gradient.flatten() for parameter, gradient in gradients_of(bert).items()}
    shares = shares_of(gradients, exact)
    worst = max(shares, key=shares.get)
    faults = list(loss_faults(answer, truth))
    if gradients.keys() != exact.keys():
        faults.append(f"other parameters: {sorted(gradients.keys() ^ exact.keys())}")
    good = not faults and shares[worst] <= 1
    print(f"{name:20} {'ok' if good else 'FAILED':6} {shares[worst]:.2g} of what is allowed at {worst}; "
          f"{time.perf_counter() - begin:.1f} s", *faults, sep="\n  ", flush=True)
    return good


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("probe")
    options = parser.parse_args(arguments)
    try:
        good = [check([options.probe], name, subject) for name, subject in subjects(options).items()]
    except (Failure, OSError) as failure:
        print(f"check_training.py: {failure}")
        return 1
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
