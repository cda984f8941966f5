#!/usr/bin/python3
"""Compares the training log of bert-train with the reference's curves of 20 steps.

usage: check_train.py DIRECTORY_OF_THE_TOOLS
"""
import json
import os
import subprocess
import sys
import tempfile

TRAINING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "training")
# Allow for rounding to f32 in the training log and for f32 arithmetic over 20 steps.
LOSS, NORM, RATE = 1e-5, 1e-5, 1e-7

# Field of the training log, field of the curve, largest difference: absolute, for the norm relative.
FIELDS = (
    ("loss", "loss", LOSS),
    ("mlm_loss", "mlm_loss", LOSS),
    ("nsp_loss", "next_loss", LOSS),
    ("lr", "rate", RATE),
    ("gradient_norm", "norm", NORM),
)


def log_of(tool, options, cut):
    """The log lines of a run in which each step is split into `cut` batches."""
    with tempfile.TemporaryDirectory() as directory:
        command = [tool, "--task", "pretrain", "-m", os.path.join(TRAINING, "narrow")]
        command += ["--out", os.path.join(directory, "out"), "--no-shuffle", "--log-every", "1"]
        command += ["--batch-size", options["batch"] // cut, "--accumulate", cut, "--steps", options["steps"]]
        command += ["--lr", options["rate"], "--warmup", options["warmup"], "--schedule", options["schedule"]]
        command += ["--optimizer", options["optimizer"], "--beta1", options["beta1"], "--beta2", options["beta2"]]
        command += ["--epsilon", options["epsilon"], "--weight-decay", options["weight_decay"]]
        command += ["--clip", options["clip"], os.path.join(TRAINING, "records.jsonl")]
        output = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def compare(name, log, steps):
    """Prints all differences and returns their number."""
    if [line["step"] for line in log] != list(range(1, len(steps) + 1)):
        print(f"{name}: steps {[line['step'] for line in log]}")
        return 1
    wrong = 0
    for line, want in zip(log, steps):
        found = dict(line)
        found["mlm_right"] = line["mlm_accuracy"] * want["masked"]
        found["nsp_right"] = line["nsp_accuracy"] * want["labelled"]
        fields = FIELDS + (("mlm_right", "masked_right", 1e-4), ("nsp_right", "next_right", 1e-4))
        for mine, theirs, most in fields:
            if theirs == "norm":
                most *= want[theirs]
            if not abs(found[mine] - want[theirs]) <= most:
                print(f"{name}, step {line['step']}: {mine} is {found[mine]}, expected {want[theirs]}")
                wrong += 1
    return wrong


def main():
    tool = os.path.join(sys.argv[1], "bert-train")
    with open(os.path.join(TRAINING, "curves.json"), encoding="utf-8") as file:
        curves = json.load(file)
    wrong = 0
    for name, curve in curves.items():
        assert len(curve["steps"]) == curve["options"]["steps"] == 20
        for cut in (1, 3):
            wrong += compare(f"{name}, {cut} batches a step", log_of(tool, curve["options"], cut), curve["steps"])
    print(f"{len(curves)} curves, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
