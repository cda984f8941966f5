#!/usr/bin/env python3
"""Writes tests/golden/type_curves.json: the losses and gradient norms of 20 steps of AdamW that transformers takes
in float64 from the directories `TYPE-HEAD` of make_types.py, by masked language modeling and for the other heads; and of the
pre-training of a generator and a discriminator that share their embeddings (`NAME-es`, Clark et al. 2020; `NAME-gdes`, He et
al. 2021, section 3.2.2), from the discriminators of JOINT and the generators in tests/golden/joint and joint-deberta, which
this script also writes, with the gradients of the first step in gradients-es.safetensors and gradients-gdes.safetensors. The
bias of the generator makes all samples the same token. With names of types, or of JOINT, as arguments, only their curves are
computed.
Needs torch and transformers 5.
"""
import json
import os
import random
import shutil
import sys

import torch
import transformers as tf
from safetensors.torch import save_file
from torch.nn.utils.parametrize import register_parametrization

from make_types import HEADS, HERE, LABELS, ROTARY, TYPES, class_of

STEPS, BATCH, RATE, HEAD_RATE, DECAY = 20, 6, 1e-3, 3e-4, 0.01
CHOICES = 2  # pairs of records are the choices of a question
MASK, SAMPLED, SAMPLED_BIAS, MODEL_WEIGHT = 4, 7, 30, 50
JOINT = {"joint": "electra-replaced", "joint-deberta": "deberta-v2-replaced-four"}
SHARINGS = ("es", "gdes")


def make_records():
    chance, labels = random.Random(11), random.Random(12)
    for number in range(STEPS * BATCH):
        ids = [chance.randrange(5, 41) for _ in range(4 + number % 13)]
        positions = sorted(chance.sample(range(len(ids)), 2))
        gold = [ids[position] if chance.random() < 0.5 else SAMPLED for position in positions]
        for position in positions:
            ids[position] = MASK
        yield {"input_ids": ids, "masked_lm_positions": positions, "masked_lm_ids": gold,
               "label": labels.randrange(LABELS), "tags": [labels.randrange(LABELS) for _ in ids],
               "start": number % len(ids), "end": number % 7 % len(ids), "choice": labels.randrange(CHOICES)}


def batches(records, pad):
    """Padded ids, attention mask, and the original ids of the masked tokens; -100 elsewhere."""
    for first in range(0, len(records), BATCH):
        batch = records[first:first + BATCH]
        width = max(len(record["input_ids"]) for record in batch)
        ids, mask, gold = (torch.full((len(batch), width), value) for value in (pad, 0, -100))
        for row, record in enumerate(batch):
            length = len(record["input_ids"])
            ids[row, :length] = torch.tensor(record["input_ids"])
            mask[row, :length] = 1
            gold[row, record["masked_lm_positions"]] = torch.tensor(record["masked_lm_ids"], dtype=torch.long)
        yield ids, mask, gold


def steps_of(parameters, losses, first_gradients=None, rate=RATE):
    """Takes a step for each function in `losses`; their results have the loss first."""
    groups = [{"params": [], "weight_decay": decay} for decay in (DECAY, 0)]
    for name, parameter in parameters.items():
        groups["norm" in name.lower() or "bias" in name]["params"].append(parameter)
    optimizer = torch.optim.AdamW(groups, lr=rate)
    steps = []
    for loss_of in losses:
        loss, parts = loss_of()
        optimizer.zero_grad()
        loss.backward()
        gradients = {name: parameter.grad.clone() for name, parameter in parameters.items() if parameter.grad is not None}
        if not steps and first_gradients is not None:
            first_gradients |= gradients
        norm = sum(gradient.square().sum() for gradient in gradients.values()).sqrt()
        steps.append({"loss": loss.item(), "norm": norm.item()} | {key: part.item() for key, part in parts.items()})
        optimizer.step()
    return steps


def load(model_class, folder):
    # With windows, some padding has no keys, for which the eager implementation computes NaN.
    how = "sdpa" if model_class.__name__.startswith("ModernBert") else "eager"
    return model_class.from_pretrained(folder, attn_implementation=how).double().train()


def fill_curve(name, records):
    model = load(class_of(name, "fill"), os.path.join(HERE, "types", name + "-fill"))

    def loss_of(batch):
        ids, mask, gold = batch
        return lambda: (model(input_ids=ids, attention_mask=mask, labels=gold).loss, {})
    return steps_of(dict(model.named_parameters()), map(loss_of, batches(records, model.config.pad_token_id)))


def head_curve(name, head, records):
    model = load(class_of(name, head), os.path.join(HERE, "types", f"{name}-{head}"))
    plain = [record | {"masked_lm_positions": [], "masked_lm_ids": []} for record in records]

    def loss_of(place, batch):
        ids, mask, gold = batch
        own = plain[place * BATCH:(place + 1) * BATCH]

        def column(key, items=own):
            return torch.tensor([record[key] for record in items])
        if head == "tag":
            for row, record in enumerate(own):
                gold[row, :len(record["tags"])] = torch.tensor(record["tags"])
        if head == "choose":
            ids, mask = (part.reshape(-1, CHOICES, part.shape[1]) for part in (ids, mask))
        if head == "answer":  # one by one, since transformers' softmax has the logits of padding
            inputs = [{"input_ids": torch.tensor([record["input_ids"]])} |
                      {f"{key}_positions": torch.tensor([record[key]]) for key in ("start", "end")} for record in own]
            return lambda: (sum(model(**one).loss for one in inputs) / len(inputs), {})
        labels = {"classify": lambda: {"labels": column("label")}, "tag": lambda: {"labels": gold},
                  "choose": lambda: {"labels": column("choice", own[::CHOICES])}}[head]()
        return lambda: (model(input_ids=ids, attention_mask=mask, **labels).loss, {})
    parts = batches(plain, model.config.pad_token_id)
    return steps_of(dict(model.named_parameters()), [loss_of(*part) for part in enumerate(parts)],
                    rate=HEAD_RATE)


def shared_parts(model):
    """The tables of the embeddings, and their normalization unless it is as wide as the encoder."""
    embeddings = model.base_model.embeddings
    names = ["word_embeddings", "position_embeddings", "token_type_embeddings"]
    return embeddings, names if hasattr(embeddings, "embed_proj") else [*names, "LayerNorm"]


class Sum(torch.nn.Module):
    """Of a parameter of the generator, to which no gradient goes, and a difference, which is the parameter that learns."""

    def __init__(self, theirs):
        super().__init__()
        self.theirs = [theirs]  # no parameter of this module

    def forward(self, difference):
        return self.theirs[0].detach() + difference

    def right_inverse(self, value):
        return value - self.theirs[0].detach()


def share(generator, discriminator, sharing):
    ours, names = shared_parts(generator)
    for name in filter(lambda name: getattr(ours, name) is not None, names):
        theirs = getattr(discriminator.base_model.embeddings, name)
        if sharing == "es":
            setattr(ours, name, theirs)
        else:
            for part, parameter in list(getattr(ours, name).named_parameters()):
                register_parametrization(theirs, part, Sum(parameter))
    generator.get_output_embeddings().weight = ours.word_embeddings.weight


def generator_class(discriminator):
    return getattr(tf, type(discriminator).__name__.replace("ForPreTraining", "ForMaskedLM"))


def make_generator(folder, discriminator, heads=1):
    """As deep as the discriminator and as wide as its number of heads says, with embeddings near its own."""
    torch.manual_seed(9)
    config = discriminator.config
    width = config.hidden_size * heads // config.num_attention_heads
    settings = config.to_dict() | {
        "hidden_size": width, "pooler_hidden_size": width, "num_attention_heads": heads, "architectures": None,
        "intermediate_size": config.intermediate_size * heads // config.num_attention_heads,
        "embedding_size": getattr(config, "embedding_size", config.hidden_size)}
    if not hasattr(config, "pooler_hidden_size"):
        del settings["pooler_hidden_size"]
    model = generator_class(discriminator)(type(config)(**settings)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape) * 0.1)
        model.get_output_embeddings().bias[SAMPLED] = SAMPLED_BIAS
        embeddings, names = shared_parts(model)
        for name in filter(lambda name: getattr(embeddings, name) is not None, names):
            theirs = getattr(discriminator.base_model.embeddings, name)
            for to, value in zip(getattr(embeddings, name).parameters(), theirs.parameters()):
                to.copy_(value + torch.randn(value.shape) * 0.1)
    model.save_pretrained(folder)
    if os.path.exists(left := os.path.join(folder, "generation_config.json")):
        os.remove(left)


def joint_parameters(model, generator):
    parameters = {name.replace("parametrizations.", "").replace(".original", ""): parameter
                  for name, parameter in model.named_parameters()}
    shared = set(map(id, parameters.values()))
    return parameters | {"generator." + name: parameter for name, parameter in generator.named_parameters()
                         if id(parameter) not in shared}


def joint_class(name):
    return class_of("electra" if "electra" in JOINT[name] else "deberta-v2", "replaced")


def make_joint(name):
    folder = os.path.join(HERE, name)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "types", JOINT[name]), folder,
                    ignore=shutil.ignore_patterns("expected.safetensors"))
    make_generator(os.path.join(folder, "generator"), load(joint_class(name), folder))


def joint_curve(name, sharing, records):
    folder = os.path.join(HERE, name)
    model = load(joint_class(name), folder)
    generator = load(generator_class(model), os.path.join(folder, "generator"))
    share(generator, model, sharing)

    def loss_of(batch):
        ids, mask, gold = batch

        def loss():
            masked = gold >= 0
            output = generator(input_ids=ids, attention_mask=mask, labels=gold)
            assert (output.logits[masked].argmax(-1) == SAMPLED).all()
            filled = torch.where(masked, SAMPLED, ids)
            found = model(input_ids=filled, attention_mask=mask, labels=(masked & (gold != SAMPLED)).long())
            return output.loss + MODEL_WEIGHT * found.loss, {"mlm_loss": output.loss, "model_loss": found.loss}
        return loss
    gradients = {}
    steps = steps_of(joint_parameters(model, generator), map(loss_of, batches(records, 0)), gradients)
    save_file({name: gradient.float().contiguous() for name, gradient in gradients.items()},
              os.path.join(folder, f"gradients-{sharing}.safetensors"))
    return steps


def main():
    path, asked = os.path.join(HERE, "type_curves.json"), sys.argv[1:]
    records, curves = list(make_records()), {}
    if asked:
        with open(path, encoding="utf-8") as file:
            curves = json.load(file)["curves"]
    types = [name for name in asked or TYPES if name not in JOINT]
    curves |= {name: fill_curve(name, records) for name in types}
    for name in JOINT:
        if not asked or name in asked:
            make_joint(name)
            curves |= {f"{name}-{sharing}": joint_curve(name, sharing, records) for sharing in SHARINGS}
    curves |= {f"{name}-{head}": head_curve(name, head, records)
               for name in types for head in ROTARY.get(name, HEADS) if head not in ("bare", "fill")}
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"records": [\n' + ",\n".join(map(json.dumps, records)) + '],\n"curves": {\n')
        file.write(",\n".join(f'"{name}": {json.dumps(steps)}' for name, steps in curves.items()) + "}}\n")


if __name__ == "__main__":
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    main()
