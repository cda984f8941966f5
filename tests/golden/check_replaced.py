#!/usr/bin/env python3
"""Compares replaced-token detection with PyTorch in float64: the probabilities of bert-predict --task replaced, and 20
steps of bert-train --task replaced, with a generator that was trained before and with one that is trained along, with both
ways of sharing embeddings.

usage: check_replaced.py DIRECTORY_OF_THE_TOOLS

The discriminators are ElectraForPreTraining and, for DeBERTa v3, that of replaced_reference.py. The generator always
samples the same token: its bias makes all others impossible. So both sides see the same tokens. Needs torch and
transformers 5.
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

    from make_type_curves import MODEL_WEIGHT, SHARINGS, generator_class, joint_parameters, load, make_generator, share
    from make_types import class_of
except (ImportError, AttributeError) as error:  # AttributeError: transformers before 5 lacks some types
    print("skipped:", error)
    sys.exit(77)

TYPES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "types")
# A discriminator, and attention heads of its generator. Those of deberta-v2 have shared keys, their own with an odd number
# of heads, their own with a convolution, absolute positions and token types only, and narrower embeddings.
MODELS = {"electra-replaced": 1, "deberta-v2-replaced": 2, "deberta-v2-replaced-five": 3, "deberta-v2-replaced-four": 1,
          "deberta-v2-replaced-twelve": 1, "deberta-v2-replaced-narrow": 2}
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"w{i}" for i in range(36)]
MASK, SAMPLED, STEPS, BATCH, RATE, DECAY = 4, 7, 20, 6, 1e-3, 0.01
MOST, MOST_OF_PROBABILITY = 1e-5, 2e-6


def make_records():
    chance = random.Random(11)
    for number in range(STEPS * BATCH):
        ids = [chance.randrange(5, len(VOCAB)) for _ in range(4 + number % 10)]
        positions = sorted(chance.sample(range(len(ids)), 2))
        gold = [ids[position] if chance.random() < 0.5 else SAMPLED for position in positions]
        for position in positions:
            ids[position] = MASK
        yield {"input_ids": ids, "masked_lm_positions": positions, "masked_lm_ids": gold}


def padded(batch):
    width = max(len(record["input_ids"]) for record in batch)
    ids, mask, gold = (torch.full((len(batch), width), value) for value in (0, 0, -100))
    for row, record in enumerate(batch):
        length = len(record["input_ids"])
        ids[row, :length] = torch.tensor(record["input_ids"])
        mask[row, :length] = 1
        gold[row, record["masked_lm_positions"]] = torch.tensor(record["masked_lm_ids"])
    return ids, mask, gold


def expected_steps(folder, name, records, sharing):
    model = load(discriminator_class(name), os.path.join(folder, name))
    parameters, generator = dict(model.named_parameters()), None
    if sharing:
        generator = load(generator_class(model), os.path.join(folder, name, "generator"))
        share(generator, model, sharing)
        parameters = joint_parameters(model, generator)
    groups = [{"params": [], "weight_decay": decay} for decay in (DECAY, 0)]
    for key, parameter in parameters.items():
        groups["LayerNorm" in key or "bias" in key]["params"].append(parameter)
    optimizer = torch.optim.AdamW(groups, lr=RATE)
    for first in range(0, len(records), BATCH):
        ids, mask, gold = padded(records[first:first + BATCH])
        masked = gold >= 0
        values = {}
        labels = (masked & (gold != SAMPLED)).long()
        output = model(input_ids=torch.where(masked, SAMPLED, ids), attention_mask=mask, labels=labels)
        loss = output.loss
        if sharing:
            words = generator(input_ids=ids, attention_mask=mask, labels=gold)
            assert (words.logits[masked].argmax(-1) == SAMPLED).all()
            loss = words.loss + MODEL_WEIGHT * loss
            values = {"mlm_loss": words.loss.item(), "mlm_accuracy": (gold[masked] == SAMPLED).double().mean().item()}
        optimizer.zero_grad()
        loss.backward()
        norm = sum(part.grad.square().sum() for part in parameters.values() if part.grad is not None).sqrt()
        right = ((output.logits > 0).long() == labels)[mask.bool()].double().mean()
        yield {"loss": loss.item(), "accuracy": right.item(), "gradient_norm": norm.item()} | values
        optimizer.step()


def discriminator_class(name):
    return class_of("electra" if name.startswith("electra") else "deberta-v2", "replaced")


def add_vocabulary(folder):
    with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(VOCAB) + "\n")


def make_models(folder):
    for name in ("electra-fill", *MODELS):
        shutil.copytree(os.path.join(TYPES, name), os.path.join(folder, name))
        add_vocabulary(os.path.join(folder, name))
    weights = os.path.join(folder, "electra-fill", "model.safetensors")
    tensors = load_file(weights)
    tensors["generator_lm_head.bias"][SAMPLED] = 1000
    save_file(tensors, weights, metadata={"format": "pt"})
    for name, heads in MODELS.items():
        path = os.path.join(folder, name, "generator")
        make_generator(path, load(discriminator_class(name), os.path.join(folder, name)), heads)
        add_vocabulary(path)


def found_steps(tool, folder, name, generator, out):
    command = [tool, "-q", "--task", "replaced", *generator, "-m", name, "-o", out, "--no-shuffle", "--log-every", "1",
               "--max-length", "13", "--batch-size", str(BATCH), "--lr", str(RATE), "--warmup", "0", "--schedule", "constant",
               "--weight-decay", str(DECAY), "--clip", "0", "records.jsonl"]
    output = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def differences(name, found, expected):
    wrong = 0 if len(found) == len(expected) == STEPS else 1
    for step, (ours, theirs) in enumerate(zip(found, expected), 1):
        for key, value in theirs.items():
            if not abs(ours[key] - value) <= MOST * max(1, abs(value)):
                print(f"{name}, step {step}: {key} is {ours[key]}, expected {value}")
                wrong += 1
    print(f"{name}: {len(found)} steps, {wrong} differences; the last loss is {found[-1]['loss']}")
    return wrong


def wrong_probabilities(tool, folder, name, records):
    """Of the whole records: special tokens are not predicted, and [MASK] is one."""
    lines = "".join(json.dumps({"input_ids": record["input_ids"]}) + "\n" for record in records)
    output = subprocess.run([tool, "-q", "--task", "replaced", "-m", name, "--precision", "9"], cwd=folder,
                            input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout
    model = load(discriminator_class(name), os.path.join(folder, name)).eval()
    most = 0
    for line, record in zip(output.splitlines(), records, strict=True):
        ids = torch.tensor([record["input_ids"]])
        with torch.no_grad():
            expected = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0].sigmoid()[ids[0] != MASK]
        found = torch.tensor(json.loads(line)["scores"], dtype=torch.float64)
        most = max(most, (found - expected).abs().max().item())
    print(f"{name}: probabilities are off by {most:.1e}")
    return most > MOST_OF_PROBABILITY


def main():
    train, predict = (os.path.abspath(os.path.join(sys.argv[1], "bert-" + verb)) for verb in ("train", "predict"))
    records, wrong = list(make_records()), 0
    with tempfile.TemporaryDirectory() as folder:
        make_models(folder)
        with open(os.path.join(folder, "records.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
        for name, heads in MODELS.items():
            share_of_heads = str(heads / load(discriminator_class(name), os.path.join(folder, name)).config.num_attention_heads)
            runs = {None: ("--generator", "electra-fill")} | {
                sharing: ("--generator-size", share_of_heads, "--embedding-sharing", sharing) for sharing in SHARINGS}
            wrong += wrong_probabilities(predict, folder, name, records)
            for sharing, generator in runs.items():
                found = found_steps(train, folder, name, generator, f"{name}-{sharing}")
                wrong += differences(f"{name}, {sharing or 'fixed'}", found, list(expected_steps(folder, name, records, sharing)))
                wrong += wrong_probabilities(predict, folder, f"{name}-{sharing}", records)
    return 1 if wrong else 0


if __name__ == "__main__":
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    sys.exit(main())
