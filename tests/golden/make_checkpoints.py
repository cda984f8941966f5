#!/usr/bin/python3
"""Writes tests/golden/checkpoints: one small model in every weight format, and tensors of every kind.

safetensors, zip, stream, shards, tensorflow: the same model as Hugging Face's safetensors, as torch.save
writes it now and wrote it before 1.6, sharded, and as Google released its models (written by bundle_file.py,
not TensorFlow). odd: zip.bin, stream.bin, protocol.bin contain all number formats, views and strides;
expected.safetensors has the same tensors as far as they are supported. small: a few numbers in each format,
for tests that damage files. `--check` writes everything again and compares bytes.
"""
import collections
import filecmp
import os
import shutil
import sys
import tempfile

import numpy as np

try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

import bundle_file
import tensor_file
from random_model import config_of, encoder_shapes, head_shapes, random_tensors, with_prefix, write_directory, write_json
from vocabulary import small_vocabulary

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKPOINTS = os.path.join(HERE, "checkpoints")


def as_torch(array):
    return torch.from_numpy(np.array(array, order="C"))


def save(path, value, stream=False, **options):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    torch.save(value, path, _use_new_zipfile_serialization=not stream, **options)


def state_dictionary(tensors):
    """As from_tf conversions leave it: weight matrices are transposed views, the decoder is tied."""
    state = collections.OrderedDict()
    for name, array in tensors.items():
        transposed = bundle_file.google_name(name)[1]
        state[name] = as_torch(array.T).t() if transposed else as_torch(array)
    state["bert.embeddings.position_ids"] = torch.arange(16).expand((1, -1))
    state["cls.predictions.decoder.weight"] = state["bert.embeddings.word_embeddings.weight"]
    state["cls.predictions.decoder.bias"] = state["cls.predictions.bias"]
    state._metadata = collections.OrderedDict([("", {"version": 1})])
    return state


def write_shards(directory, state):
    names = sorted(state)
    weight_map = {}
    for number, stream in ((1, False), (2, True)):
        file = f"pytorch_model-{number:05}-of-00002.bin"
        part = names[number - 1::2]
        save(os.path.join(directory, file), {name: state[name].clone() for name in part}, stream)
        weight_map |= dict.fromkeys(part, file)
    write_json(directory, "pytorch_model.bin.index.json", {"metadata": {"total_size": 0}, "weight_map": weight_map})


def write_google(directory, config, tensors, trained=True, shards=2):
    """trained: includes the optimizer state."""
    google = bundle_file.google_tensors(tensors)
    for name in list(google) if trained else ():
        google[name + "/adam_m"] = google[name] * np.float32(0.5)
        google[name + "/adam_v"] = google[name] * google[name]
    google["global_step"] = np.array(1000, "<i8")
    os.makedirs(directory)
    kept = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "max_position_embeddings",
            "vocab_size", "type_vocab_size", "hidden_dropout_prob", "attention_probs_dropout_prob", "initializer_range")
    write_json(directory, "bert_config.json", {key: config[key] for key in kept} | {"hidden_act": "gelu"})
    bundle_file.write_bundle(os.path.join(directory, "bert_model.ckpt"), google, shards)


def write_model(root):
    vocabulary = small_vocabulary()
    config = config_of(1, 8, 2, 12, vocab_size=len(vocabulary), architectures=["BertForPreTraining"],
                       max_position_embeddings=16) | {"hidden_act": "gelu_new"}
    tensors = with_prefix(random_tensors("checkpoints", encoder_shapes(config)
                                         | head_shapes(config, ["pooler", "mlm", "nsp"])))
    write_directory(os.path.join(root, "safetensors"), config, vocabulary, tensors)
    state = state_dictionary(tensors)
    save(os.path.join(root, "zip/pytorch_model.bin"), state)
    save(os.path.join(root, "stream/pytorch_model.bin"), state, stream=True)
    write_shards(os.path.join(root, "shards"), state)
    write_google(os.path.join(root, "tensorflow"), config, tensors)
    for form in ("zip", "stream", "shards", "tensorflow"):
        shutil.copy(os.path.join(root, "safetensors/vocab.txt"), os.path.join(root, form))
        if form != "tensorflow":
            shutil.copy(os.path.join(root, "safetensors/config.json"), os.path.join(root, form))


def odd_tensors():
    base = torch.arange(24, dtype=torch.float32) / 7 - 1
    state = collections.OrderedDict()
    for name in ("float32", "float64", "float16", "bfloat16"):
        state[name] = base.reshape(4, 6).to(getattr(torch, name))
    for name in ("int64", "int32", "int16", "int8", "uint8"):
        state[name] = torch.arange(6).to(getattr(torch, name))
    state["bool"] = torch.tensor([True, False, True])
    state["scalar"] = torch.tensor(2.5)
    state["empty"] = torch.zeros(0, 5)
    state["cube"] = base.reshape(2, 3, 4)
    state["part"] = base.reshape(4, 6)[1:3]  # in the storage of "whole"
    state["whole"] = base.reshape(4, 6)
    state["transposed"] = base.reshape(4, 6).t()
    state["half transposed"] = base.reshape(4, 6).half().t()
    state["parameter"] = torch.nn.Parameter(base[5:9])
    state["one row"] = torch.arange(3.0).expand((1, -1))
    state["columns"] = base.reshape(4, 6)[:, :2]  # strides (6, 1): not supported
    return state


def write_odd(root):
    state = odd_tensors()
    directory = os.path.join(root, "odd")
    extra = collections.OrderedDict(state, step=7, version="x", rate=0.5, none=None)
    save(os.path.join(directory, "zip.bin"), extra)
    save(os.path.join(directory, "stream.bin"), extra, stream=True)
    save(os.path.join(directory, "protocol.bin"), dict(state), pickle_protocol=4)
    floats = {name: tensor.detach().float().numpy() for name, tensor in state.items()
              if tensor.dtype.is_floating_point and name != "columns"}
    tensor_file.write_file(os.path.join(directory, "expected.safetensors"), floats)


def write_small(root):
    directory = os.path.join(root, "small")
    array = np.arange(6, dtype="<f4").reshape(2, 3)
    state = {"bert.pooler.dense.weight": as_torch(array.T).t(), "cls.predictions.bias": torch.ones(2).half()}
    save(os.path.join(directory, "zip.bin"), state)
    save(os.path.join(directory, "stream.bin"), state, stream=True)
    bundle_file.write_bundle(os.path.join(directory, "bert_model.ckpt"), {
        "bert/pooler/dense/kernel": array, "bert/pooler/dense/bias": array[0], "bert/pooler/dense/bias/adam_m": array[1],
        "global_step": np.array(3, "<i8")}, shards=2, per_block=3)


def write_all(root):
    write_model(root)
    write_odd(root)
    write_small(root)


def files_of(root):
    return sorted(os.path.relpath(os.path.join(folder, name), root)
                  for folder, _, names in os.walk(root) for name in names)


def is_stream(path):
    with open(path, "rb") as file:
        return path.endswith(".bin") and file.read(1) == b"\x80"


def same(a, b):
    """Whether two files are equal. The old format names storages by address, so its tensors are compared
    instead."""
    if not os.path.exists(b):
        return False
    if not is_stream(a):
        return filecmp.cmp(a, b, shallow=False)
    first, second = torch.load(a), torch.load(b)
    return list(first) == list(second) and all(
        torch.equal(first[name], second[name]) and first[name].stride() == second[name].stride()
        for name in first if torch.is_tensor(first[name]))


def check():
    with tempfile.TemporaryDirectory() as root:
        write_all(root)
        written = files_of(root)
        wrong = [path for path in written if not same(os.path.join(root, path), os.path.join(CHECKPOINTS, path))]
    wrong += sorted(set(files_of(CHECKPOINTS)) - set(written))
    for name in wrong:
        print("not reproduced:", name)
    return 1 if wrong else 0


def main():
    if "--check" in sys.argv:
        return check()
    shutil.rmtree(CHECKPOINTS, ignore_errors=True)
    write_all(CHECKPOINTS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
