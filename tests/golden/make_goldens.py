#!/usr/bin/python3
"""Writes tests/golden/expected: the output of every small model, in float64 by bert_reference.py.

MODEL.json lists the cases and the location of each array in MODEL.f32 (little-endian float32: the float64 value
rounded once, 3e-8). golden.h reads both and documents the kinds of arrays. The error bound of an array is 2e-6, or
twice the error of PyTorch's own float32 if that is larger. `--check` computes everything again and compares bytes
instead of writing; only manifest.json may differ, because PyTorch's own error depends on the machine.
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

from bert_reference import Bert
from sentence_reference import SentenceModel
from wordpiece import SPECIAL, Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "models")
LEAST_BOUND = 2e-6
LENGTHS = [1, 2, 5, 16, 17, 33]


def make_case(name, length, tokenizer, generator, first_length=None):
    """Random ids in the form of a text, or of a pair whose first part and its two special tokens have
    first_length."""
    pieces = [number for piece, number in tokenizer.ids.items() if not SPECIAL.fullmatch(piece)]
    ids = [pieces[int(u * len(pieces))] for u in generator.random_sample(length)]
    ids[-1] = tokenizer.ids["[SEP]"]
    ids[0] = tokenizer.ids["[CLS]"]
    types = [0] * length
    if first_length:
        ids[first_length - 1] = tokenizer.ids["[SEP]"]
        types[first_length:] = [1] * (length - first_length)
    masked = [length // 4, length // 2, length - 2] if length > 9 else [1] if length > 2 else []
    for place in masked:
        ids[place] = tokenizer.ids["[MASK]"]
    return {"name": name, "input_ids": ids, "token_type_ids": types, "masked": masked}


def cases_of(config, tokenizer, segments):
    generator = np.random.RandomState(1)
    lengths = [*LENGTHS, config["max_position_embeddings"]]
    cases = [make_case(f"length {length}", length, tokenizer, generator) for length in lengths]
    if segments:
        cases.append(make_case("pair 9 + 13", 22, tokenizer, generator, 9))
        cases.append(make_case("pair 30 + 4", 34, tokenizer, generator, 30))
    return cases


def head(model, name, weight, rows):
    """The array of a head: its rows, and the norms that its error is relative to."""
    values = model.linear(name, rows) if isinstance(name, str) else name(rows)
    return {"values": values, "rows": rows, "row_norms": weight.norm(dim=1)}


def outputs_of(model, case):
    """{name: {"values": [rows, width]}}; heads also have "rows" (the input of the head) and "row_norms"."""
    states = model.hidden_states(case["input_ids"], case["token_type_ids"])
    last = model.mix(states)
    outputs = {f"hidden.{number}": {"values": state} for number, state in enumerate(states)}
    linear_inputs = {"qa_outputs": last, "classifier": last}
    if model.has("pooler.dense.weight"):
        pooled = model.pooled(last)
        outputs["pooled"] = {"values": pooled}
        linear_inputs |= {"cls.seq_relationship": pooled, "classifier": pooled}
    for name, rows in linear_inputs.items():
        if model.has(name + ".weight"):
            outputs[name] = head(model, name, model.weights[name + ".weight"], rows)
    if model.has("cls.predictions.bias") and case["masked"]:
        transformed = model.mlm_transform(last[case["masked"]])
        outputs["cls.predictions.transform"] = {"values": transformed}
        outputs["cls.predictions"] = head(model, model.mlm_logits, model.mlm_decoder()[0], transformed)
    return outputs


def worst_row_error(values, truth):
    """The largest relative error of a row."""
    difference = values.double() - truth.double()
    return float((difference.norm(dim=1) / truth.double().norm(dim=1)).max())


def store(outputs, outputs_f32, data):
    """Appends the numbers to `data`; returns their index and the largest error of float32."""
    index = {}
    largest = 0.0
    for name, output in outputs.items():
        vectors = "rows" if "rows" in output else "values"  # what the error is relative to
        own_error = worst_row_error(outputs_f32[name][vectors], output[vectors])
        entry = {"shape": list(output["values"].shape), "offset": len(data) // 4,
                 "bound": max(LEAST_BOUND, float(f"{2 * own_error:.1e}"))}
        largest = max(largest, own_error)
        arrays = [output["values"]]
        if "rows" in output:
            entry["kind"] = "head"
            arrays += [output["row_norms"], output["rows"].norm(dim=1)]
        for array in arrays:
            data += array.numpy().astype("<f4").tobytes()
        index[name] = entry
    return index, largest


def encoder_directory(directory):
    """The folder of config.json: older sentence-transformers models keep the transformer in a subfolder."""
    folder = os.path.join(directory, "0_BERT")
    return folder if os.path.isdir(folder) else directory


def write_model(name, expected):
    directory = os.path.join(MODELS, name)
    sentence = os.path.exists(os.path.join(directory, "modules.json"))
    encoders = [Bert.load(encoder_directory(directory), dtype) for dtype in (torch.float64, torch.float32)]
    sentences = [SentenceModel(directory, dtype) for dtype in (torch.float64, torch.float32)] if sentence else []
    data = bytearray()
    cases = []
    largest = 0.0
    for case in cases_of(encoders[0].config, Tokenizer(encoder_directory(directory)), not sentence):
        outputs = [outputs_of(encoder, case) for encoder in encoders]
        for output, model in zip(outputs, sentences):
            output["embedding"] = {"values": model.embedding(case["input_ids"])}
        index, own_error = store(*outputs, data)
        largest = max(largest, own_error)
        cases.append(case | {"outputs": index})
    with open(os.path.join(expected, name + ".f32"), "wb") as file:
        file.write(data)
    with open(os.path.join(expected, name + ".json"), "w", encoding="utf-8") as file:
        lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
        file.write(f'{{"model":"{name}","cases":[\n{lines}\n]}}\n')
    return float(f"{largest:.1e}")


def write_expected(expected):
    os.makedirs(expected, exist_ok=True)
    own_errors = {name: write_model(name, expected) for name in sorted(os.listdir(MODELS))}
    manifest = {"python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__,
                "machine": platform.machine(), "torch_f32_error": own_errors}
    with open(os.path.join(expected, "manifest.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(manifest, indent=1) + "\n")


def main():
    torch.set_num_threads(1)  # deterministic order of summation
    torch.set_grad_enabled(False)
    expected = os.path.join(HERE, "expected")
    if sys.argv[1:] != ["--check"]:
        shutil.rmtree(expected, ignore_errors=True)
        write_expected(expected)
        return 0
    with tempfile.TemporaryDirectory() as again:
        write_expected(again)
        names = sorted(set(os.listdir(again)) - {"manifest.json"})
        differing = [name for name in names if not filecmp.cmp(f"{again}/{name}", f"{expected}/{name}", False)]
        extra = sorted(set(os.listdir(expected)) - set(names) - {"manifest.json"})
    for name in differing + extra:
        print(f"make_goldens.py: expected/{name} is not what the reference computes")
    return 1 if differing or extra else 0


if __name__ == "__main__":
    sys.exit(main())
