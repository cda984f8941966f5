#!/usr/bin/env python3
"""Draws the attention weights of a text, as gnuplot commands: a map for each head, a row of maps for each layer.

    echo 'The king saw the queen.' | bert-embed --attention --layers 1,2 | attention.py 1,2 | gnuplot >attention.svg

In a map, a row is a token and the columns are the tokens that it attends to; the darker, the more. Each layer has its
own scale, from 0 to the largest weight between words: [CLS] and [SEP] get most of the attention, and would leave the
rest white.

Reads one record with the fields tokens and attention from stdin. The argument names its layers; without one they are
numbered from 1.
"""
import json
import signal
import sys

CELL = 14  # pixels
LETTER = 7  # width of a letter, in pixels
MARGIN = 24  # above a map, for the title
TITLE = 90  # width of the title


def quoted(text):
    """A string of gnuplot, as bytes in octal: ` would run a command."""
    return '"' + "".join(f"\\{byte:03o}" for byte in text.encode(errors="replace")) + '"'


def commands(tokens, layers, names):
    size = max(CELL * len(tokens), TITLE)
    labels = LETTER * max(map(len, tokens)) + 6
    width, height = labels + size + 6, MARGIN + size + labels
    across, down = len(layers[0]), len(layers)
    yield f"set terminal svg size {across * width},{down * height} font ',10' noenhanced background 'white'"
    yield f"set multiplot layout {down},{across}"
    yield "set palette defined (0 'white', 1 '#08306b'); unset colorbox; unset key"
    # In labels of tics, % begins a number format.
    tics = ", ".join(f"{quoted(token.replace('%', '%%'))} {i}" for i, token in enumerate(tokens))
    yield f"set xtics rotate by 90 right scale 0 ({tics}); set ytics scale 0 ({tics})"
    last = len(tokens) - 0.5
    yield f"set xrange [-0.5:{last}]; set yrange [{last}:-0.5]"
    inner = [i for i, token in enumerate(tokens) if token not in ("[CLS]", "[SEP]")]
    for row, (layer, name) in enumerate(zip(layers, names)):
        largest = max((head[i][j] for head in layer for i in inner for j in inner), default=1)
        yield f"set cbrange [0:{largest or 1}]"
        for column, head in enumerate(layer):
            left, top = column * width + labels, row * height + MARGIN
            yield (f"set lmargin at screen {left / (across * width):.6f}; "
                   f"set rmargin at screen {(left + size) / (across * width):.6f}; "
                   f"set tmargin at screen {1 - top / (down * height):.6f}; "
                   f"set bmargin at screen {1 - (top + size) / (down * height):.6f}")
            yield f"set title {quoted(f'layer {name}, head {column + 1}')} offset 0,-0.5"
            yield "plot '-' matrix with image pixels"
            yield from (" ".join(f"{weight:.4f}" for weight in weights) for weights in head)
            yield "e"


def is_weights(value, *shape):
    """Whether a value of JSON is an array of this shape. A weight is a probability, but may be rounded up."""
    if not shape:
        return type(value) in (int, float) and 0 <= value < 1.01
    return type(value) is list and len(value) == shape[0] and all(is_weights(item, *shape[1:]) for item in value)


def read(line):
    """Tokens [T] and attention [layers, heads, T, T]."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not JSON" if line.strip() else "no record") from None
    if type(record) is not dict:
        raise ValueError("not an object")
    for name in ("tokens", "attention"):
        if type(record.get(name)) is not list or not record[name]:
            raise ValueError(f"{name} is {'not an array with elements' if name in record else 'missing'}")
    tokens, layers = record["tokens"], record["attention"]
    if any(type(token) is not str for token in tokens):
        raise ValueError("tokens are not strings")
    heads = len(layers[0]) if type(layers[0]) is list else 0
    if not heads or not is_weights(layers, len(layers), heads, len(tokens), len(tokens)):
        raise ValueError(f"attention is not an array [layers, heads, {len(tokens)}, {len(tokens)}] of weights")
    return tokens, layers


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return
    if len(sys.argv) > 2:
        sys.exit("attention.py: more than one argument; see attention.py --help")
    try:
        tokens, layers = read(sys.stdin.buffer.readline())
    except ValueError as error:
        sys.exit(f"attention.py: stdin: {error}: expected a record with tokens and attention, "
                 "as bert-embed --attention writes it")
    if sys.stdin.buffer.readline():
        print("attention.py: only the first record is drawn", file=sys.stderr)
    names = sys.argv[1].split(",") if len(sys.argv) > 1 else [str(i + 1) for i in range(len(layers))]
    if len(names) != len(layers):
        sys.exit(f"attention.py: the record has {len(layers)} layers, but {len(names)} are named")
    try:
        print("\n".join(commands(tokens, layers, names)), flush=True)
    except OSError as error:
        sys.exit(f"attention.py: stdout: {error.strerror}")


if __name__ == "__main__":
    main()
