"""BERT (Devlin et al. 2018) in plain PyTorch: the independent reference for every number the tools print.

It computes one sequence at a time without batch, padding or mask: x is [T,H] throughout. float64 gives the
expected values; the same code in float32 shows how far a good float32 implementation may deviate from them.
Tensor names are Hugging Face's without the "bert." prefix.
"""
import json
import math
import os

import torch
import torch.nn.functional as F

import tensor_file


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu_erf(x):
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


ACTIVATIONS = {
    "gelu": gelu_erf,
    "gelu_new": gelu_tanh,
    "gelu_pytorch_tanh": gelu_tanh,
    "relu": torch.relu,
    "silu": lambda x: x * torch.sigmoid(x),
    "tanh": torch.tanh,
}


def canonical_name(name):
    """Hugging Face's current name without prefix: bert.x.LayerNorm.gamma -> x.LayerNorm.weight."""
    name = name.removeprefix("bert.")
    stem, _, last = name.rpartition(".")
    if stem.endswith("LayerNorm"):
        last = {"gamma": "weight", "beta": "bias"}.get(last, last)
    return f"{stem}.{last}" if stem else last


def read_json(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


class Bert:
    """The encoder and every head whose tensors are in the directory, computed in `dtype`."""

    def __init__(self, config, tensors, dtype=torch.float64):
        self.config = config
        self.dtype = dtype
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.causal = config.get("is_decoder", False)
        self.activation = ACTIVATIONS[config["hidden_act"]]
        self.weights = {
            canonical_name(name): torch.from_numpy(array.copy()).to(dtype)
            for name, array in tensors.items() if array.dtype.kind == "f"
        }

    @staticmethod
    def load(directory, dtype=torch.float64):
        return Bert(read_json(directory, "config.json"), tensor_file.read_directory(directory), dtype)

    def linear(self, name, x):  # y = x Wᵀ + b, W [N,K]
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def layer_norm(self, name, x):
        gain, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return F.layer_norm(x, x.shape[-1:], gain, bias, self.config["layer_norm_eps"])

    def embed(self, ids, types):
        words = self.weights["embeddings.word_embeddings.weight"][torch.tensor(ids)]
        positions = self.weights["embeddings.position_embeddings.weight"][: len(ids)]
        segments = self.weights["embeddings.token_type_embeddings.weight"][torch.tensor(types)]
        return self.layer_norm("embeddings.LayerNorm", words + segments + positions)

    def split(self, name, x):  # [A,T,size]
        return self.linear(name, x).view(len(x), self.heads, -1).transpose(0, 1)

    def attention(self, prefix, x):
        """The weights [A,T,T] of each head: from the second axis to the third."""
        query, key = self.split(prefix + "query", x), self.split(prefix + "key", x)
        scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[2])
        if self.causal:
            later = torch.ones(len(x), len(x), dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        return torch.softmax(scores, -1)

    def attend(self, prefix, x):
        context = self.attention(prefix, x) @ self.split(prefix + "value", x)
        return context.transpose(0, 1).reshape(x.shape)

    def layer(self, number, x):
        prefix = f"encoder.layer.{number}."
        context = self.attend(prefix + "attention.self.", x)
        attended = self.linear(prefix + "attention.output.dense", context)
        y = self.layer_norm(prefix + "attention.output.LayerNorm", x + attended)
        inner = self.activation(self.linear(prefix + "intermediate.dense", y))
        outer = self.linear(prefix + "output.dense", inner)
        return self.layer_norm(prefix + "output.LayerNorm", y + outer)

    def hidden_states(self, ids, types=None):
        """L + 1 arrays [T,H]: the embeddings, then the output of each layer."""
        states = [self.embed(ids, types or [0] * len(ids))]
        for number in range(self.layers):
            states.append(self.layer(number, states[-1]))
        return states

    def mix(self, states):
        """What the heads read: the last layer, or a learned weighted sum of all (Peters et al. 2018, equation 1)."""
        if not self.has("layer_weights"):
            return states[-1]
        shares = torch.softmax(self.weights["layer_weights"], 0)
        return self.weights["layer_gamma"] * sum(share * state for share, state in zip(shares, states))

    def has(self, name):
        return name in self.weights

    def pooled(self, last):  # [T,H] -> [1,H]
        """Of [CLS], or of the last token in a causal model, where [CLS] has seen no other."""
        return torch.tanh(self.linear("pooler.dense", last[-1:] if self.causal else last[:1]))

    def mlm_transform(self, rows):  # [M,H] -> [M,H]
        inner = self.activation(self.linear("cls.predictions.transform.dense", rows))
        return self.layer_norm("cls.predictions.transform.LayerNorm", inner)

    def mlm_decoder(self):
        """The weight [V,H] and the bias [V]. With tied embeddings a stored decoder is ignored."""
        tied = self.config.get("tie_word_embeddings", True)
        weight = "embeddings.word_embeddings" if tied else "cls.predictions.decoder"
        return self.weights[weight + ".weight"], self.weights["cls.predictions.bias"]

    def mlm_logits(self, transformed):  # [M,H] -> [M,V]
        weight, bias = self.mlm_decoder()
        return transformed @ weight.T + bias
