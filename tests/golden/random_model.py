"""Model directories with seeded random weights.

Each number is a sum of four uniform ones from numpy's frozen Mersenne Twister, so the bits are the same with
every numpy and libm. The scales make the arithmetic demanding: attention scores have a standard deviation of
about 1.7 (far from uniform), and layer normalization has gains of 0.5 to 1.5 and nonzero biases.
"""
import json
import math
import os
import zlib

import numpy as np

import tensor_file

CONFIG = {  # the start of every model's config.json
    "model_type": "bert", "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
    "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0, "type_vocab_size": 2,
    "position_embedding_type": "absolute",
}


def config_of(layers, hidden, heads, inner, **rest):
    return CONFIG | {"num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads,
                     "intermediate_size": inner} | rest


def linear_shapes(name, outputs, inputs):
    return {name + ".weight": (outputs, inputs), name + ".bias": (outputs,)}


def encoder_shapes(config):
    hidden, inner = config["hidden_size"], config["intermediate_size"]

    def norm(name):
        return {name + ".weight": (hidden,), name + ".bias": (hidden,)}

    shapes = {"embeddings.word_embeddings.weight": (config["vocab_size"], hidden),
              "embeddings.position_embeddings.weight": (config["max_position_embeddings"], hidden),
              "embeddings.token_type_embeddings.weight": (config["type_vocab_size"], hidden)}
    shapes |= norm("embeddings.LayerNorm")
    for number in range(config["num_hidden_layers"]):
        prefix = f"encoder.layer.{number}."
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            shapes |= linear_shapes(prefix + "attention." + part, hidden, hidden)
        shapes |= norm(prefix + "attention.output.LayerNorm")
        shapes |= linear_shapes(prefix + "intermediate.dense", inner, hidden)
        shapes |= linear_shapes(prefix + "output.dense", hidden, inner)
        shapes |= norm(prefix + "output.LayerNorm")
    return shapes


def head_shapes(config, heads, labels=0):
    """heads: any of "pooler", "mlm", "decoder" (stored, not tied), "nsp", "classifier", "qa", "mix"."""
    hidden, vocabulary = config["hidden_size"], config["vocab_size"]
    norm = "cls.predictions.transform.LayerNorm"
    known = {
        "pooler": linear_shapes("pooler.dense", hidden, hidden),
        "mlm": {"cls.predictions.bias": (vocabulary,), norm + ".weight": (hidden,), norm + ".bias": (hidden,)}
        | linear_shapes("cls.predictions.transform.dense", hidden, hidden),
        "decoder": {"cls.predictions.decoder.weight": (vocabulary, hidden)},
        "nsp": linear_shapes("cls.seq_relationship", 2, hidden),
        "classifier": linear_shapes("classifier", labels, hidden),
        "qa": linear_shapes("qa_outputs", 2, hidden),
        "mix": {"layer_weights": (config["num_hidden_layers"] + 1,), "layer_gamma": (1,)},
    }
    shapes = {}
    for head in heads:
        shapes |= known[head]
    return shapes


def scale_of(name, shape):
    """Standard deviation of a tensor's numbers."""
    if name.endswith("word_embeddings.weight") or name.endswith("decoder.weight"):
        return 2.3 / math.sqrt(shape[1])
    if "embeddings." in name and "LayerNorm" not in name:
        return 1.4 / math.sqrt(shape[1])
    if name.endswith(".bias"):
        return 0.2
    if name == "layer_weights":
        return 1
    if name.endswith("query.weight") or name.endswith("key.weight"):
        return 1.3 / math.sqrt(shape[1])
    return (2 if name.startswith(("classifier", "qa", "cls.seq")) else 1) / math.sqrt(shape[1])


def random_tensor(seed, name, shape):
    generator = np.random.RandomState(zlib.crc32(f"{seed} {name}".encode()))
    if name.endswith("LayerNorm.weight") or name == "layer_gamma":
        return (0.5 + generator.random_sample(shape)).astype("<f4")
    total = np.zeros(shape)
    for _ in range(4):  # variance 4/12
        total += generator.random_sample(shape) - 0.5
    return (total * math.sqrt(3) * scale_of(name, shape)).astype("<f4")


def random_tensors(seed, shapes):
    return {name: random_tensor(seed, name, shape) for name, shape in shapes.items()}


def with_prefix(tensors):
    """As head models save them: names of encoder and pooler begin with "bert."."""
    return {("bert." if name.startswith(("embeddings.", "encoder.", "pooler.")) else "") + name: array
            for name, array in tensors.items()}


def write_json(directory, name, value):
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(value, indent=2, sort_keys=True) + "\n")


def write_directory(directory, config, vocabulary, tensors, store="F32"):
    os.makedirs(directory, exist_ok=True)
    write_json(directory, "config.json", config)
    write_json(directory, "tokenizer_config.json",
               {"do_lower_case": True, "model_max_length": config["max_position_embeddings"],
                "tokenizer_class": "BertTokenizer"})
    with open(os.path.join(directory, "vocab.txt"), "w", encoding="utf-8") as file:
        file.write("".join(piece + "\n" for piece in vocabulary))
    tensor_file.write_file(os.path.join(directory, "model.safetensors"), tensors, store)
