#!/usr/bin/env python3
"""Compares models whose weights are 8-bit integers with transformers and compressed-tensors, in both directions: what
bert-convert --store int8 writes has the same weights there, and bert-embed reads models with integers that NumPy has rounded, with
a scale for each row or one for the whole matrix.

usage: check_integers.py DIRECTORY_OF_THE_TOOLS

Needs torch, transformers 5 and compressed-tensors.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import compressed_tensors  # noqa: F401
    import numpy as np
    import torch
    import transformers as tf
    from safetensors.numpy import load_file, save_file
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["bert", "roberta", "xlm-roberta", "distilbert", "electra", "modernbert", "deberta-v2"]
IDS = [2, 7, 9, 31, 8, 3]
MOST = 2e-6


def vector(tools, model, *more):
    out = subprocess.run([os.path.join(tools, "bert-embed"), "-q", "-m", model, "--pooling", "mean", *more, "-"],
                         input=json.dumps({"input_ids": IDS}) + "\n", text=True, check=True, stdout=subprocess.PIPE).stdout
    return np.array(json.loads(out)["embedding"])


def difference(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


def copy_of(name, folder):
    """A model, which reads ids, with any vocabulary."""
    source = os.path.join(HERE, "models", "bare") if name == "bert" else os.path.join(HERE, "types", f"{name}-bare")
    path = os.path.join(folder, "source")
    shutil.copytree(source, path, dirs_exist_ok=True)
    with open(os.path.join(path, "config.json"), encoding="utf-8") as file:
        count = json.load(file)["vocab_size"]
    with open(os.path.join(path, "vocab.txt"), "w", encoding="utf-8") as file:
        file.write("".join(f"{word}\n" for word in ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *range(5, count)]))
    with open(os.path.join(path, "tokenizer_config.json"), "w", encoding="utf-8") as file:
        file.write('{"tokenizer_class": "BertTokenizer"}')
    return path


def check_written(tools, folder, name):
    """The weights in transformers are those of the same model converted back, bit for bit."""
    integers, back = (os.path.join(folder, part) for part in ("integers", "back"))
    for arguments in ([copy_of(name, folder), "-o", integers, "--store", "int8"],
                      [integers, "-o", back, "--store", "f32"]):
        subprocess.run([os.path.join(tools, "bert-convert"), "-q", *arguments], check=True)
    model = tf.AutoModel.from_pretrained(integers).eval()
    with torch.no_grad():
        model(input_ids=torch.tensor([IDS]))  # decompresses
    exact = tf.AutoModel.from_pretrained(back).state_dict()
    state = model.state_dict()
    rounded = [key for key in state if key.endswith("weight_scale")]
    same = all(torch.equal(state[key].float(), tensor) for key, tensor in exact.items() if key in state and "pooler" not in key)
    print(f"{name}: {len(rounded)} matrices of integers, weights {'equal' if same else 'differ'}")
    return same and len(rounded) >= 6


def check_read(tools, folder, by_row):
    """Integers and scales made by NumPy; without a quantization_config, too."""
    source = copy_of("bert", folder)
    model, exact = os.path.join(folder, "made"), os.path.join(folder, "exact")
    for path in (model, exact):
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(source, path)
    tensors, rounded = load_file(os.path.join(source, "model.safetensors")), {}
    made = dict(tensors)
    for name, matrix in tensors.items():
        if not name.endswith("dense.weight") or "layer" not in name:
            continue
        largest = np.abs(matrix).max(1, keepdims=True) if by_row else np.abs(matrix).max()
        scale = np.asarray(largest / 127, np.float32).astype(np.float16)
        made[name] = np.clip(np.rint(matrix / scale.astype(np.float32)), -128, 127).astype(np.int8)
        made[name + "_scale"] = scale if by_row else scale.reshape(1)
        rounded[name] = made[name].astype(np.float32) * scale.astype(np.float32)
    save_file(made, os.path.join(model, "model.safetensors"))
    save_file({**tensors, **rounded}, os.path.join(exact, "model.safetensors"))
    error = difference(vector(tools, model), vector(tools, exact))
    print(f"integers of NumPy, a scale for each {'row' if by_row else 'matrix'}: {len(rounded)} matrices, {error:.1e}")
    return error <= MOST and len(rounded) > 0


def main():
    tools = os.path.abspath(sys.argv[1])
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    passed = True
    for name in NAMES:
        with tempfile.TemporaryDirectory() as folder:
            passed &= check_written(tools, folder, name)
    for by_row in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            passed &= check_read(tools, folder, by_row)
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
