#!/usr/bin/env python3
"""Compares 20 steps of bert-train --task replaced with those of ElectraForPreTraining in float64.

usage: check_replaced.py DIRECTORY_OF_THE_TOOLS

The generator always samples the same token: its bias makes all others impossible. So both sides see the same
tokens. Needs torch and transformers 5.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

try:
    import torch
    import transformers as tf
    from safetensors.torch import load_file, save_file
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

TYPES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "types")
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"w{i}" for i in range(36)]
MASK, SAMPLED, STEPS, BATCH, RATE, DECAY = 4, 7, 20, 6, 1e-3, 0.01
MOST = 1e-5


def make_records():
    chance = random.Random(11)
    for number in range(STEPS * BATCH):
        ids = [chance.randrange(5, len(VOCAB)) for _ in range(4 + number % 15)]
        positions = sorted(chance.sample(range(len(ids)), 2))
        gold = [ids[position] if chance.random() < 0.5 else SAMPLED for position in positions]
        for position in positions:
            ids[position] = MASK
        yield {"input_ids": ids, "masked_lm_positions": positions, "masked_lm_ids": gold}


def expected_steps(records):
    model = tf.ElectraForPreTraining.from_pretrained(os.path.join(TYPES, "electra-replaced"),
                                                     attn_implementation="eager").double().train()
    groups = [{"params": [], "weight_decay": decay} for decay in (DECAY, 0)]
    for name, parameter in model.named_parameters():
        groups["LayerNorm" in name or "bias" in name]["params"].append(parameter)
    optimizer = torch.optim.AdamW(groups, lr=RATE)
    for first in range(0, len(records), BATCH):
        batch = records[first:first + BATCH]
        width = max(len(record["input_ids"]) for record in batch)
        ids, labels, mask = (torch.zeros(len(batch), width, dtype=torch.long) for _ in range(3))
        for row, record in enumerate(batch):
            length = len(record["input_ids"])
            ids[row, :length] = torch.tensor(record["input_ids"])
            mask[row, :length] = 1
            for position, gold in zip(record["masked_lm_positions"], record["masked_lm_ids"]):
                ids[row, position] = SAMPLED
                labels[row, position] = gold != SAMPLED
        output = model(input_ids=ids, attention_mask=mask, labels=labels)
        optimizer.zero_grad()
        output.loss.backward()
        gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
        right = ((output.logits > 0).long() == labels)[mask.bool()].double().mean()
        norm = sum(gradient.square().sum() for gradient in gradients).sqrt()
        yield {"loss": output.loss.item(), "accuracy": right.item(), "gradient_norm": norm.item()}
        optimizer.step()


def found_steps(tool, records, folder):
    for name in ("electra-fill", "electra-replaced"):
        shutil.copytree(os.path.join(TYPES, name), os.path.join(folder, name))
        with open(os.path.join(folder, name, "vocab.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(VOCAB) + "\n")
    weights = os.path.join(folder, "electra-fill", "model.safetensors")
    tensors = load_file(weights)
    tensors["generator_lm_head.bias"][SAMPLED] = 1000
    save_file(tensors, weights, metadata={"format": "pt"})
    with open(os.path.join(folder, "records.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    command = [tool, "-q", "--task", "replaced", "--generator", "electra-fill", "-m", "electra-replaced", "-o", "out",
               "--no-shuffle", "--log-every", "1", "--batch-size", str(BATCH), "--lr", str(RATE), "--warmup", "0",
               "--schedule", "constant", "--weight-decay", str(DECAY), "--clip", "0", "records.jsonl"]
    output = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def main():
    tool = os.path.abspath(os.path.join(sys.argv[1], "bert-train"))
    records = list(make_records())
    with tempfile.TemporaryDirectory() as folder:
        found = found_steps(tool, records, folder)
    expected = list(expected_steps(records))
    wrong = 0 if len(found) == len(expected) == STEPS else 1
    for step, (ours, theirs) in enumerate(zip(found, expected), 1):
        for key, value in theirs.items():
            if not abs(ours[key] - value) <= MOST * max(1, abs(value)):
                print(f"step {step}: {key} is {ours[key]}, expected {value}")
                wrong += 1
    print(f"{len(found)} steps, {wrong} differences; the last loss is {found[-1]['loss']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    sys.exit(main())
