#!/usr/bin/python3
"""Writes tests/golden/training: results of training_reference.py, heads_reference.py, embed_reference.py and
distill_reference.py in float64.

MODEL/         a small model with all pre-training heads, without dropout; its sizes do not match tiles
MODEL.json     its parameters in order, and cases: micro-batches, losses, counts, offset of the gradients
MODEL.f32      gradients, case by case, all parameters in order (the float64 value rounded once)
heads.json     cases of fine-tuning `narrow`: examples, losses, parameters in order, offset of their numbers
heads.f32      the head's own parameters, then the gradients of all parameters, case by case
embed.json     cases of training sentence vectors: settings, examples, losses, 20 steps of AdamW
embed.f32      gradients of all parameters, case by case
distill.json   cases of training against a teacher's vectors: settings, examples, losses
distill.f32    the projection if there is one and gradients of all parameters, case by case
rank.json      losses of rankers and their gradients, from rank_reference.py
task_curves.json  20 steps of fine-tuning with AdamW, starting from the heads of some cases
records.jsonl  the records of 20 steps, batch by batch
curves.json    for each optimizer: options; losses, rates and norms of 20 steps from MODEL `narrow`
sinusoid.f32   the initial position embeddings of `narrow` with sinusoidal positions (Vaswani et al. 2017, 3.5)
manifest.json  versions; PyTorch's own float32 errors on this machine, as fractions of the tests' tolerances

`--check` computes everything again and compares. Numbers rounded to float32 may differ by that rounding,
because float64 sums depend on the machine too.
"""
import filecmp
import json
import os
import platform
import shutil
import sys
import tempfile

import numpy as np

try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

import distill_reference
import embed_cases
import embed_reference
import heads_cases
import heads_reference
import rank_reference
from bert_reference import read_json
from random_model import config_of, encoder_shapes, head_shapes, random_tensors, with_prefix, write_directory
from training_cases import cases_of, causal_cases, curve_steps
from training_reference import forward_backward, gradients_of, norm_of, shares_of, train, trainable
from vocabulary import numbered_vocabulary

HERE = os.path.dirname(os.path.abspath(__file__))
TRAINING = os.path.join(HERE, "training")
MODELS = {  # layers, hidden, heads, feed-forward; vocabulary, positions; stored cases, None: all
    "narrow": ((2, 24, 2, 50), 150, 48, {}, None),
    "broad": ((2, 64, 4, 100), 151, 40, {"hidden_act": "gelu_new", "layer_norm_eps": 1e-6}, ["two micro-batches"]),
    "causal": ((2, 24, 2, 50), 152, 56, {"is_decoder": True}, None),
}
CASE_SEED = 3  # no gradient cancels so much that float32 alone would use half of the tolerance
HEADS_SEED = 1  # as above
EMBED_SEED = 1  # as above
STEPS, BATCH = 20, 6
OPTIONS = {"steps": STEPS, "batch": BATCH, "rate": 2e-3, "warmup": 4, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-6,
           "weight_decay": 0.1, "clip": 1.0}
# From heads_cases.py.
TASK_CURVES = ["classify, with class weights", "regress", "multilabel", "choose", "tag", "answer"]
TASK_STEPS = {"longest": 20, "batch": 4, "seed": 3}
CURVES = {"adamw": {"optimizer": "adamw", "schedule": "linear"},
          "google": {"optimizer": "google", "schedule": "google"}}


def write_pretraining_model(directory, seed, sizes, vocabulary, positions, branch=1.0, **rest):
    """`branch` scales the output of attention and feed-forward layers. Otherwise the tokens of a text become
    equal in deep random models, and float32 is left with the noise of their differences."""
    config = config_of(*sizes, vocab_size=vocabulary, max_position_embeddings=positions,
                       architectures=["BertForPreTraining"], **rest)
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    tensors = random_tensors(seed, encoder_shapes(config) | head_shapes(config, ["pooler", "mlm", "nsp"]))
    for name, array in tensors.items():
        if name.endswith("output.dense.weight"):
            array *= np.float32(branch)
    write_directory(directory, config, numbered_vocabulary(vocabulary), with_prefix(tensors))


def own_shares(gradients, truth):
    """PyTorch's float32 error: for true gradients of 0, such as key biases, and the worst of all others."""
    shares = shares_of(gradients, truth)
    least = 1e-12 * norm_of(truth.values())
    zeros = {name for name in shares if norm_of([truth[name]]) <= least}
    return [max(float(f"{shares[name]:.1g}") for name in names) for names in (zeros, shares.keys() - zeros)]


def lines_of(values):
    return ",\n".join(json.dumps(value, separators=(",", ":")) for value in values)


def worst_of(shares):
    return {"truly 0": max(zeros for zeros, _ in shares), "all others": max(others for _, others in shares)}


def append(data, tensors):
    for tensor in tensors:
        data += tensor.numpy().astype("<f4").tobytes()


def parameters_of(gradients):
    return [{"name": name, "shape": list(gradient.shape)} for name, gradient in gradients.items()]


def write_gradients(root, name):
    sizes, vocabulary, positions, rest, kept = MODELS[name]
    directory = os.path.join(root, name)
    write_pretraining_model(directory, "training " + name, sizes, vocabulary, positions, **rest)
    data, cases, own = bytearray(), [], []
    make_cases = causal_cases if rest.get("is_decoder") else cases_of
    for case, step in make_cases(vocabulary, positions, CASE_SEED).items():
        if kept is not None and case not in kept:
            continue
        bert = trainable(directory)
        result = forward_backward(bert, step)
        gradients = gradients_of(bert)
        single = trainable(directory, torch.float32)
        forward_backward(single, step)
        own.append(own_shares(gradients_of(single), gradients))
        assert own[-1][1] <= 0.5, (name, case, own[-1])
        cases.append({"name": case, **result, "norm": norm_of(gradients.values()), "offset": len(data) // 4,
                      "micro_batches": step})
        append(data, gradients.values())
    with open(os.path.join(root, name + ".f32"), "wb") as file:
        file.write(data)
    with open(os.path.join(root, name + ".json"), "w", encoding="utf-8") as file:
        file.write(f'{{"model":"{name}","parameters":[\n{lines_of(parameters_of(gradients))}],\n'
                   f'"cases":[\n{lines_of(cases)}]}}\n')
    return worst_of(own)


def with_head(directory, case, dtype=torch.float64):
    """The trainable model of a directory with the head of a case and no other."""
    bert = trainable(directory, dtype)
    over_tokens = case["task"] in heads_reference.OVER_TOKENS
    kind = "qa" if case["task"] == "answer" else "classifier"
    heads = [kind, "mix"] if case.get("weighted") else [kind]
    head = random_tensors("head of " + case["name"], head_shapes(bert.config, heads, case["classes"]))
    bert.weights = {name: weight for name, weight in bert.weights.items()
                    if not name.startswith(("cls.", "pooler.") if over_tokens else "cls.")}
    for name, array in head.items():
        bert.weights[name] = torch.from_numpy(array).to(dtype).requires_grad_()
    return bert


def rest_of(case):
    return {key: case[key] for key in ("class_weights",) if key in case}


def learn_head(directory, case, dtype=torch.float64):
    return heads_reference.gradients(with_head(directory, case, dtype), case["task"], case["step"], **rest_of(case))


def write_heads(root):
    directory = os.path.join(root, "narrow")
    data, cases, own = bytearray(), [], []
    for case in heads_cases.cases_of(*MODELS["narrow"][1:3], HEADS_SEED):
        result, gradients = learn_head(directory, case)
        own.append(own_shares(learn_head(directory, case, torch.float32)[1], gradients))
        assert own[-1][1] <= 0.5, (case["name"], own[-1])
        cases.append({**case, **result, "offset": len(data) // 4, "parameters": parameters_of(gradients)})
        count = 4 if case.get("weighted") else 2  # its weight and its bias; those of the layers
        head = list(with_head(directory, case).weights.items())[-count:]
        append(data, [weight.detach() for _, weight in head] + list(gradients.values()))
    with open(os.path.join(root, "heads.f32"), "wb") as file:
        file.write(data)
    with open(os.path.join(root, "heads.json"), "w", encoding="utf-8") as file:
        file.write(f'{{"model":"narrow","cases":[\n{lines_of(cases)}]}}\n')
    return worst_of(own)


def encoder_of(directory, dtype=torch.float64):
    """The trainable model of a directory without any head."""
    bert = trainable(directory, dtype)
    bert.weights = {name: weight for name, weight in bert.weights.items()
                    if not name.startswith(("cls.", "pooler."))}
    return bert


def write_embed(root):
    """Returns the worst shares, and the relative deviation of float32 for each curve."""
    directory, sizes = os.path.join(root, "narrow"), MODELS["narrow"][1:3]
    options = OPTIONS | CURVES["adamw"] | {"batch": TASK_STEPS["batch"]}
    data, cases, own, errors = bytearray(), [], [], {}
    for case in embed_cases.cases_of(*sizes, EMBED_SEED):
        result, gradients = embed_reference.gradients(encoder_of(directory), case["step"], case)
        single = embed_reference.gradients(encoder_of(directory, torch.float32), case["step"], case)[1]
        own.append(own_shares(single, gradients))
        assert own[-1][1] <= 0.5, (case["name"], own[-1])
        steps = embed_cases.curve_steps(case, MODELS["narrow"][1], steps=STEPS, **TASK_STEPS)

        def learn(bert, step):
            return embed_reference.learn(bert, step, case)

        exact, single = (list(train(encoder_of(directory, dtype), steps, options, learn))
                         for dtype in (torch.float64, torch.float32))
        errors[case["name"]] = float(f"{max(abs(b['loss'] - a['loss']) / max(1, a['loss']) for a, b in zip(exact, single)):.1g}")
        curve = [result | {"examples": step} for result, step in zip(exact, steps)]
        cases.append({**case, **result, "offset": len(data) // 4, "parameters": parameters_of(gradients),
                      "curve": curve})
        append(data, gradients.values())
    with open(os.path.join(root, "embed.f32"), "wb") as file:
        file.write(data)
    with open(os.path.join(root, "embed.json"), "w", encoding="utf-8") as file:
        file.write(f'{{"options":{json.dumps(options)},"cases":[\n{lines_of(cases)}]}}\n')
    return worst_of(own), errors


def with_projection(directory, case, dtype=torch.float64):
    """The trainable model of a directory with the projection of a case of distill_reference.py."""
    bert = encoder_of(directory, dtype)
    inputs = bert.config["hidden_size"] * len(case["pooling"])
    shapes = {"pooled_projection.weight": (case["projection"], inputs), "pooled_projection.bias": (case["projection"],)}
    for name, array in (random_tensors("projection of " + case["name"], shapes) if case["projection"] else {}).items():
        bert.weights[name] = torch.from_numpy(array).to(dtype).requires_grad_()
    return bert


def write_distill(root):
    directory, sizes = os.path.join(root, "narrow"), MODELS["narrow"][1:3]
    data, cases, own = bytearray(), [], []
    for case in distill_reference.cases_of(*sizes, EMBED_SEED):
        bert = with_projection(directory, case)
        result, gradients = distill_reference.gradients(bert, case["step"], case)
        single = distill_reference.gradients(with_projection(directory, case, torch.float32), case["step"], case)[1]
        own.append(own_shares(single, gradients))
        assert own[-1][1] <= 0.5, (case["name"], own[-1])
        weights = [weight.detach() for name, weight in bert.weights.items() if name.startswith("pooled_projection.")]
        cases.append({**case, **result, "offset": len(data) // 4, "parameters": parameters_of(gradients)})
        append(data, [*weights, *gradients.values()])
    with open(os.path.join(root, "distill.f32"), "wb") as file:
        file.write(data)
    with open(os.path.join(root, "distill.json"), "w", encoding="utf-8") as file:
        file.write(f'{{"cases":[\n{lines_of(cases)}]}}\n')
    return worst_of(own)


def write_rank(root):
    with open(os.path.join(root, "rank.json"), "w", encoding="utf-8") as file:
        file.write(f'{{"cases":[\n{lines_of(rank_reference.cases())}]}}\n')


def write_curves(root):
    """Returns the relative deviation of float32 for each curve."""
    directory = os.path.join(root, "narrow")
    steps = curve_steps(MODELS["narrow"][1], MODELS["narrow"][2], STEPS, BATCH)
    with open(os.path.join(root, "records.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record, separators=(",", ":")) + "\n"
                        for step in steps for batch in step for record in batch)
    curves, own = [], {}
    for name, kind in CURVES.items():
        options = OPTIONS | kind
        exact, single = (list(train(trainable(directory, dtype), steps, options))
                         for dtype in (torch.float64, torch.float32))
        own[name] = float(f"{max(abs(b['loss'] / a['loss'] - 1) for a, b in zip(exact, single)):.1g}")
        curves.append(f'"{name}":{{"options":{json.dumps(options)},"steps":[\n{lines_of(exact)}]}}')
    with open(os.path.join(root, "curves.json"), "w", encoding="utf-8") as file:
        file.write("{" + ",\n".join(curves) + "}\n")
    return own


def write_task_curves(root):
    """Returns the relative deviation of float32 for each curve."""
    directory = os.path.join(root, "narrow")
    options = OPTIONS | CURVES["adamw"] | {"batch": TASK_STEPS["batch"]}
    curves, own = [], {}
    for case in heads_cases.cases_of(*MODELS["narrow"][1:3], HEADS_SEED):
        if case["name"] not in TASK_CURVES:
            continue
        steps = heads_cases.curve_steps(case, MODELS["narrow"][1], steps=STEPS, **TASK_STEPS)

        def learn(bert, step):
            return heads_reference.learn(bert, case["task"], step, **rest_of(case))

        exact, single = (list(train(with_head(directory, case, dtype), steps, options, learn))
                         for dtype in (torch.float64, torch.float32))
        own[case["name"]] = float(f"{max(abs(b['loss'] / a['loss'] - 1) for a, b in zip(exact, single)):.1g}")
        learned = lines_of(result | {"examples": step} for result, step in zip(exact, steps))
        curves.append(f'{{"case":"{case["name"]}","steps":[\n{learned}]}}')
    with open(os.path.join(root, "task_curves.json"), "w", encoding="utf-8") as file:
        file.write(f'{{"options":{json.dumps(options)},"curves":[\n' + ",\n".join(curves) + "]}\n")
    return own


def write_sinusoid(root):
    """[T,H]: 0.04 times sines of falling frequency, then cosines."""
    (_, hidden, *_), _, positions, *_ = MODELS["narrow"]
    half = hidden // 2
    angles = np.arange(positions)[:, None] * 10000.0 ** (-np.arange(half)[None] / half)
    waves = 0.04 * np.concatenate([np.sin(angles), np.cos(angles)], 1)
    waves.astype("<f4").tofile(os.path.join(root, "sinusoid.f32"))


def write_training(root):
    os.makedirs(root, exist_ok=True)
    write_sinusoid(root)
    gradients = {name: write_gradients(root, name) for name in MODELS}
    gradients["heads"] = write_heads(root)
    gradients["embed"], embed_errors = write_embed(root)
    gradients["distill"] = write_distill(root)
    write_rank(root)
    manifest = {"python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__,
                "machine": platform.machine(), "torch_f32_gradient_shares": gradients,
                "torch_f32_curve_error": write_curves(root) | write_task_curves(root) | embed_errors}
    with open(os.path.join(root, "manifest.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(manifest, indent=1) + "\n")


def same(a, b):
    """Whether two JSON values are equal, floats within 1e-9."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return isinstance(b, float) and abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    return a == b


def same_numbers(root, again, name):
    """Whether both are equal within float32 rounding of the largest number of each case."""
    index = os.path.join(root, name + ".json")
    cases = read_json(index)["cases"] if os.path.exists(index) else [{"offset": 0}]
    ours, theirs = (np.fromfile(os.path.join(directory, name + ".f32"), "<f4").astype("f8")
                    for directory in (root, again))
    if ours.shape != theirs.shape:
        return False
    ends = [case["offset"] for case in cases] + [len(ours)]
    return all(np.abs(ours[begin:end] - theirs[begin:end]).max() <= 1e-7 * np.abs(theirs[begin:end]).max()
               for begin, end in zip(ends, ends[1:]))


def files_below(root):
    return sorted(os.path.relpath(os.path.join(folder, name), root)
                  for folder, _, names in os.walk(root) for name in names)


def differing(root, again):
    """Files of `root` that differ from those in `again`."""
    names = sorted(set(files_below(root)) | set(files_below(again)))
    for name in names:
        if name == "manifest.json":
            continue
        if not all(os.path.exists(os.path.join(directory, name)) for directory in (root, again)):
            yield name
        elif name.endswith(".f32"):
            if not same_numbers(root, again, name.removesuffix(".f32")):
                yield name
        elif name.endswith(".json") and os.sep not in name:
            if not same(read_json(root, name), read_json(again, name)):
                yield name
        elif not filecmp.cmp(os.path.join(root, name), os.path.join(again, name), False):
            yield name


def main():
    torch.set_num_threads(1)
    if sys.argv[1:] != ["--check"]:
        shutil.rmtree(TRAINING, ignore_errors=True)
        write_training(TRAINING)
        return 0
    with tempfile.TemporaryDirectory() as again:
        write_training(again)
        wrong = list(differing(TRAINING, again))
    for name in wrong:
        print(f"make_training.py: training/{name} is not what the reference computes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
