#!/usr/bin/python3
"""Writes the SentencePiece model of XLM-RoBERTa or DeBERTa from its tokenizer.json: sentencepiece_model.py TOKENIZER_JSON >FILE."""
import json
import struct
import sys

UNIGRAM, NORMAL, UNKNOWN, CONTROL = 1, 1, 2, 3  # sentencepiece_model.proto
SPECIALS = {"<unk>": UNKNOWN, "<s>": CONTROL, "</s>": CONTROL}


def field(number, value):
    """Bytes, a float, or an int below 128."""
    if isinstance(value, bytes):
        return bytes([8 * number + 2, len(value)]) + value
    if isinstance(value, float):
        return bytes([8 * number + 5]) + struct.pack("<f", value)
    return bytes([8 * number, value])


def model_of(tokenizer):
    if tokenizer["model"]["vocab"][0][0] == "[PAD]":  # DeBERTa has the ids of its model
        kinds = {"[PAD]": CONTROL, "[CLS]": CONTROL, "[SEP]": CONTROL, "[UNK]": UNKNOWN}
        return file_of([[*row, kinds.get(row[0], NORMAL)] for row in tokenizer["model"]["vocab"]])
    pieces = [[name, 0.0, kind] for name, kind in SPECIALS.items()]
    pieces += [[*row, NORMAL] for row in tokenizer["model"]["vocab"] if row[0] not in (*SPECIALS, "<pad>", "<mask>")]
    return file_of(pieces)


def file_of(pieces):
    rows = (field(1, text.encode()) + field(2, float(score)) + field(3, kind) for text, score, kind in pieces)
    return b"".join(field(1, row) for row in rows) + field(2, field(3, UNIGRAM))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        sys.stdout.buffer.write(model_of(json.load(source)))
