"""Training of sentence vectors against those of a teacher in plain PyTorch: the losses of sentence-transformers'
EmbedDistillLoss, written from their definitions, their gradients by autograd.

A step is a list of examples with "texts", sequences as in embed_reference.py, and "target", the vector of the
teacher that all of them are to have. There is no dropout. The model may have a projection: the weights
pooled_projection.weight and .bias.

settings: {"objective", "dims", "pooling", "unit_length": whether vectors are scaled to unit length,
"projection": its numbers or 0, "reads_unit_length": whether the projection reads vectors of unit length}.
"""
import torch
import torch.nn.functional as F

from embed_cases import Pairs
from embed_reference import vector_of
from training_reference import gradients_of, norm_of

LOSSES = {"mse": F.mse_loss, "cosine": lambda x, t: (1 - F.cosine_similarity(x, t, dim=-1)).mean(),
          "l2": lambda x, t: torch.norm(x - t, dim=-1).mean()}


def cases_of(vocabulary, longest, seed):
    """A list of {"name", the settings, "first": examples in the first of two micro-batches, "step"}."""
    pairs = Pairs(vocabulary, longest, seed)

    def case(name, texts, width, **settings):
        step = [{"texts": [pairs.text() for _ in range(count)], "target": [pairs.number(-1, 1) for _ in range(width)]}
                for count in texts]
        return {"name": name, "dims": [], "pooling": ["mean"], "unit_length": False, "projection": 0,
                "reads_unit_length": False, **settings, "first": 2, "step": step}

    return [
        case("cosine, Matryoshka", [1] * 6, 24, objective="cosine", dims=[8, 17]),
        case("mse, projection, unit length, Matryoshka", [1] * 5, 10, objective="mse", dims=[4], unit_length=True,
             projection=10),
        case("l2, projection of unit length, pairs", [2, 1, 2, 1], 7, objective="l2", pooling=["cls", "mean"],
             projection=7, reads_unit_length=True),
    ]


def student_vector(bert, text, settings):
    vector = vector_of(bert, settings["pooling"], text)
    if settings["reads_unit_length"]:
        vector = F.normalize(vector, dim=-1)
    if settings["projection"]:
        vector = F.linear(vector, bert.weights["pooled_projection.weight"], bert.weights["pooled_projection.bias"])
    return vector


def gradients(bert, step, settings):
    """{"loss", "norm": that of all gradients}, and {name: gradient}."""
    vectors = torch.stack([student_vector(bert, text, settings) for example in step for text in example["texts"]])
    targets = torch.tensor([example["target"] for example in step for _ in example["texts"]], dtype=bert.dtype)
    total = 0
    for dim in [*settings["dims"], vectors.shape[1]]:
        cut = F.normalize(vectors[:, :dim], dim=-1) if settings["unit_length"] else vectors[:, :dim]
        total = total + LOSSES[settings["objective"]](cut, targets[:, :dim])
    total.backward()
    found = gradients_of(bert)
    return {"loss": float(total.detach()), "norm": norm_of(found.values())}, found
