"""safetensors files with numpy alone: u64 header length, JSON header, one buffer of little-endian numbers.

bfloat16 has no numpy type, so it is widened to float32 on reading and rounded to nearest even on writing.
"""
import json
import os
import struct

import numpy as np

NUMPY_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4"}


def widen_bf16(bits):
    return (bits.astype("<u4") << 16).view("<f4")


def round_to_bf16(values):
    bits = np.ascontiguousarray(values, "<f4").view("<u4")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def read_file(path):
    """{name: array}; bf16 is returned as float32, everything else in its own type."""
    with open(path, "rb") as file:
        (header_length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(header_length))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        array = np.frombuffer(data[begin:end], NUMPY_TYPES[entry["dtype"]])
        if entry["dtype"] == "BF16":
            array = widen_bf16(array)
        tensors[name] = array.reshape(entry["shape"])
    return tensors


def read_directory(directory):
    """All tensors of model.safetensors, or of the shards named in model.safetensors.index.json."""
    index = os.path.join(directory, "model.safetensors.index.json")
    if not os.path.exists(index):
        return read_file(os.path.join(directory, "model.safetensors"))
    with open(index, encoding="utf-8") as file:
        shards = sorted(set(json.load(file)["weight_map"].values()))
    tensors = {}
    for shard in shards:
        tensors.update(read_file(os.path.join(directory, shard)))
    return tensors


def encode(array, store):
    """(dtype name, bytes): floats in the format `store` ("F32", "F16" or "BF16"), integers unchanged."""
    if array.dtype.kind == "i":
        return "I64", array.astype("<i8").tobytes()
    if store == "BF16":
        return store, round_to_bf16(array).tobytes()
    return store, array.astype(NUMPY_TYPES[store]).tobytes()


def write_file(path, tensors, store="F32"):
    """Names are sorted and data begins at a multiple of 8, so equal tensors always give equal bytes."""
    header = {"__metadata__": {"format": "pt"}}
    chunks = []
    offset = 0
    for name in sorted(tensors):
        dtype, data = encode(tensors[name], store)
        header[name] = {"dtype": dtype, "shape": list(tensors[name].shape),
                        "data_offsets": [offset, offset + len(data)]}
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.writelines(chunks)
