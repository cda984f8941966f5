"""TensorFlow checkpoints ("bundles") with numpy alone: PREFIX.index, a LevelDB table of protocol buffers, and
PREFIX.data-0000X-of-0000Y, raw little-endian numbers."""
import struct

import numpy as np

MAGIC = 0xdb4775248b80fb57
TYPES = {"<f4": 1, "<f8": 2, "<i4": 3, "<i8": 9, "<f2": 19}


def crc_table():
    """The remainder of each single byte."""
    remainders = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        remainders = remainders >> 1 ^ np.where(remainders & 1, np.uint32(0x82f63b78), np.uint32(0))
    return remainders


CRC_TABLE = crc_table()


def after_bytes(remainders, values):
    return CRC_TABLE[(remainders ^ values) & 255] ^ remainders >> 8


def after_zeros(remainders, shift):
    """shift [32]: the effect of a number of zero bytes on each bit of a remainder; the effect is linear."""
    total = np.zeros_like(remainders)
    for bit in range(32):
        total ^= np.where(remainders >> bit & 1, shift[bit], np.uint32(0))
    return total


def crc32c(data):
    """Splits the data into 2**n lanes of equal length, which are processed together, and a rest."""
    lanes = 1 << min(16, (len(data) // 512 + 1).bit_length() - 1)
    length = len(data) // lanes
    columns = np.ascontiguousarray(np.frombuffer(data, np.uint8, lanes * length).reshape(lanes, length).T)
    remainders = np.zeros(lanes, np.uint32)
    remainders[0] = 0xffffffff
    shift = np.uint32(1) << np.arange(32, dtype=np.uint32)
    for column in columns:
        remainders = after_bytes(remainders, column)
        shift = after_bytes(shift, 0)
    while len(remainders) > 1:  # merge neighbouring lanes into one of twice the length
        remainders = after_zeros(remainders[0::2], shift) ^ remainders[1::2]
        shift = after_zeros(shift, shift)
    for byte in data[lanes * length:]:
        remainders = after_bytes(remainders, byte)
    return int(remainders[0]) ^ 0xffffffff


def masked(crc):
    return (((crc >> 15) | (crc << 17)) + 0xa282ead8) & 0xffffffff


def varint(number):
    text = b""
    while number >= 128:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def number_field(field, number):
    return varint(field << 3) + varint(number) if number else b""


def bytes_field(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def block(entries, restart_interval):
    """Keys share a prefix with the key before, except at restarts."""
    data, restarts, before = b"", [], b""
    for number, (key, value) in enumerate(entries):
        shared = 0
        if number % restart_interval == 0:
            restarts.append(len(data))
        else:
            while shared < min(len(key), len(before)) and key[shared] == before[shared]:
                shared += 1
        data += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        before = key
    restarts = restarts or [0]
    return data + struct.pack(f"<{len(restarts) + 1}I", *restarts, len(restarts))


def table(entries, per_block, restart_interval=16):
    """entries: sorted (key, value) pairs of bytes; a data block contains `per_block` of them."""
    file = b""

    def append(contents):
        nonlocal file
        handle = varint(len(file)) + varint(len(contents))
        file += contents + b"\0" + struct.pack("<I", masked(crc32c(contents + b"\0")))
        return handle

    index = []
    for begin in range(0, len(entries), per_block):
        part = entries[begin:begin + per_block]
        index.append((part[-1][0], append(block(part, restart_interval))))
    footer = append(block([], 1)) + append(block(index, 1))
    return file + footer.ljust(40, b"\0") + struct.pack("<Q", MAGIC)


def shape_message(shape):
    return b"".join(bytes_field(2, number_field(1, extent)) for extent in shape)


def write_bundle(prefix, tensors, shards=1, per_block=40):
    """tensors: {name: array}; they are assigned to the shards in turn, in order of their names."""
    data = [bytearray() for _ in range(shards)]
    entries = [(b"", number_field(1, shards) + bytes_field(3, number_field(1, 1)))]
    for number, name in enumerate(sorted(tensors)):
        array = tensors[name]
        raw = array.tobytes()
        shard = number % shards
        message = (number_field(1, TYPES[array.dtype.newbyteorder("<").str]) + bytes_field(2, shape_message(array.shape))
                   + number_field(3, shard) + number_field(4, len(data[shard])) + number_field(5, len(raw))
                   + varint(6 << 3 | 5) + struct.pack("<I", masked(crc32c(raw))))
        data[shard] += raw
        entries.append((name.encode(), message))
    for shard in range(shards):
        with open(f"{prefix}.data-{shard:05}-of-{shards:05}", "wb") as file:
            file.write(data[shard])
    with open(prefix + ".index", "wb") as file:
        file.write(table(entries, per_block))


def google_name(name):
    """Google's name for Hugging Face's tensor `name`, and whether Google stores it transposed."""
    heads = {"cls.predictions.bias": "cls/predictions/output_bias",
             "cls.seq_relationship.weight": "cls/seq_relationship/output_weights",
             "cls.seq_relationship.bias": "cls/seq_relationship/output_bias",
             "classifier.weight": "output_weights", "classifier.bias": "output_bias",
             "qa_outputs.weight": "cls/squad/output_weights", "qa_outputs.bias": "cls/squad/output_bias"}
    if name in heads:
        return heads[name], False
    name = name.replace("encoder.layer.", "encoder.layer_")
    parts = name.split(".")
    if parts[-2].endswith("_embeddings"):
        parts = parts[:-1]
    elif parts[-2] == "LayerNorm":
        parts[-1] = {"weight": "gamma", "bias": "beta"}[parts[-1]]
    elif parts[-1] == "weight":
        parts[-1] = "kernel"
    return "/".join(parts), parts[-1] == "kernel"


def google_tensors(tensors):
    """The same tensors as Google's code saves them; `tensors` have the names of a model with heads."""
    named = {}
    for name, array in tensors.items():
        google, transposed = google_name(name)
        named[google] = np.ascontiguousarray(array.T if transposed else array)
    return named
