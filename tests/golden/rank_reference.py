"""Losses of rankers in plain PyTorch, as sentence-transformers' CrossEncoder has them: written from their
definitions in nn/rank_losses.h, their gradients by autograd.

A case is a list of candidates with logits "x" and the numbers "y" that are to be learned.
"""
import random

import torch
import torch.nn.functional as F


def margins(x, y):
    return F.mse_loss(x[0] - x[1:], y[0] - y[1:], reduction="sum"), len(x) - 1


def divergence(x, y, temperature):
    return temperature**2 * F.kl_div(F.log_softmax(x / temperature, 0), F.log_softmax(y / temperature, 0),
                                     reduction="sum", log_target=True), 1


def lambda_loss(x, y):
    """NDCG-Loss2++ (Wang et al. 2018, equation 15) with mu 10 and binary logarithms."""
    gains = 2 ** y.clamp(min=0) - 1
    discounts = torch.log2(torch.arange(2, len(x) + 2, dtype=x.dtype))
    gains = gains / (gains.sort(descending=True)[0] / discounts).sum().clamp(min=1e-10)
    place = torch.empty(len(x), dtype=torch.long)
    place[x.detach().argsort(descending=True, stable=True)] = torch.arange(len(x))
    total, count = x.sum() * 0, 0
    for i in range(len(x)):
        for j in range(len(x)):
            if not y[i] > y[j]:
                continue
            apart = int((place[i] - place[j]).abs())
            weight = 10 * (1 / discounts[apart - 1] - 1 / discounts[apart])
            weight = weight + (1 / discounts[place[i]] - 1 / discounts[place[j]]).abs()
            total = total - weight * (gains[i] - gains[j]).abs() * torch.log2(torch.sigmoid(x[i] - x[j]))
            count += 1
    return total, count


def loss_of(name, x, y, temperature):
    """The sum of the losses, and how many there are."""
    if name == "binary":
        return F.binary_cross_entropy_with_logits(x, y, reduction="sum"), len(x)
    if name == "mse":
        return F.mse_loss(x, y, reduction="sum"), len(x)
    if name == "softmax":
        return F.cross_entropy(x, y / y.sum()), 1
    if name == "listnet":
        return F.cross_entropy(x, F.softmax(y, 0)), 1
    if name == "margin-mse":
        return margins(x, y)
    return divergence(x, y, temperature) if name == "kl" else lambda_loss(x, y)


def cases():
    """Each with "loss", "count", "value" and "gradient"."""
    chance = random.Random(4)
    made = []
    for name in ("binary", "mse", "softmax", "listnet", "lambda", "margin-mse", "kl"):
        for size in (2, 3, 7):
            taught = name in ("mse", "margin-mse", "kl")
            x = [chance.randrange(-80, 80) / 16 for _ in range(size)]
            y = [chance.randrange(-40, 40) / 8 if taught else chance.randrange(0, 5) / 4 for _ in range(size)]
            if not taught:
                y[size - 1] = y[0] + 0.25 if y[0] < 1 else 0.5  # at least two labels
            temperature = chance.choice([1, 2, 0.5]) if name == "kl" else 1
            logits = torch.tensor(x, dtype=torch.float64, requires_grad=True)
            value, count = loss_of(name, logits, torch.tensor(y, dtype=torch.float64), temperature)
            value.backward()
            made.append({"loss": name, "temperature": temperature, "x": x, "y": y, "count": count,
                         "value": float(value.detach()), "gradient": logits.grad.tolist()})
    return made
