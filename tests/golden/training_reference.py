"""Pre-training in plain PyTorch: loss (Devlin et al. 2018, appendix A.2), gradients by autograd, steps.

A step is a list of micro-batches, a micro-batch a list of records as written by bert-mask. Both losses are
divided by the counts of the whole step:

    loss = Σ -ln p(masked token) / number of masked tokens + Σ -ln p(label) / number of labelled sequences

where a sum over nothing is 0. There is no dropout.
"""
import math
import re

import torch
import torch.nn.functional as F

from bert_reference import Bert


def trainable(directory, dtype=torch.float64):
    """The model of a directory, with weights that collect gradients."""
    bert = Bert.load(directory, dtype)
    for weight in bert.weights.values():
        weight.requires_grad_()
    return bert


def sums_of(bert, record):
    """For one record: {"mlm", "next": summed losses, "masked_right", "next_right": correct predictions}."""
    last = bert.hidden_states(record["input_ids"], record["token_type_ids"])[-1]
    sums = {}
    if record["masked_lm_positions"]:
        logits = bert.mlm_logits(bert.mlm_transform(last[record["masked_lm_positions"]]))
        gold = torch.tensor(record["masked_lm_ids"])
        sums["mlm"] = F.cross_entropy(logits, gold, reduction="sum")
        sums["masked_right"] = int((logits.argmax(1) == gold).sum())
    if "next_sentence_label" in record:
        logits = bert.linear("cls.seq_relationship", bert.pooled(last))
        gold = torch.tensor([record["next_sentence_label"]])
        sums["next"] = F.cross_entropy(logits, gold, reduction="sum")
        sums["next_right"] = int(logits.argmax() == gold)
    return sums


def count(step):
    """The divisors of the losses of a step."""
    records = [record for batch in step for record in batch]
    return {"mlm": sum(len(record["masked_lm_positions"]) for record in records),
            "next": sum("next_sentence_label" in record for record in records)}


def forward_backward(bert, step):
    """Adds the gradients of a step to those of bert.weights; returns its losses and counts."""
    counts = count(step)
    result = {"loss": 0.0, "mlm_loss": 0.0, "next_loss": 0.0, "masked": counts["mlm"], "labelled": counts["next"],
              "masked_right": 0, "next_right": 0}
    for batch in step:
        loss = torch.zeros((), dtype=bert.dtype)
        for record in batch:
            sums = sums_of(bert, record)
            for part in ("mlm", "next"):
                if part in sums:
                    share = sums[part] / counts[part]
                    loss = loss + share
                    result[part + "_loss"] += float(share.detach())
            for part in ("masked_right", "next_right"):
                result[part] += sums.get(part, 0)
        result["loss"] += float(loss.detach())
        if loss.requires_grad:
            loss.backward()
    return result


def gradients_of(bert):
    """{name: gradient}, zeros if a step did not reach a parameter."""
    return {name: torch.zeros_like(weight) if weight.grad is None else weight.grad
            for name, weight in bert.weights.items()}


def norm_of(tensors):
    """Norm of all of them together."""
    return math.sqrt(sum(float(tensor.double().square().sum()) for tensor in tensors))


def bounds_of(truth):
    """{name: tolerance of its gradient's error}; the minimum is for gradients that are really 0 (key
    biases)."""
    least = 1e-4 * norm_of(truth.values())
    return {name: 1e-5 * max(norm_of([gradient]), least) for name, gradient in truth.items()}


def shares_of(gradients, truth):
    """{name: error as a fraction of the tolerance}; NaN and a different shape give infinity."""
    shares = {}
    for name, bound in bounds_of(truth).items():
        found = gradients.get(name)
        if found is None or found.shape != truth[name].shape:
            shares[name] = math.inf
            continue
        error = norm_of([found.double() - truth[name].double()])
        shares[name] = error / bound if bound > 0 and math.isfinite(error) else math.inf if error != 0 else 0.0
    return shares


def decays(name):
    """Whether weight decay applies to this parameter (google-research/bert, optimization.py)."""
    return not re.search("LayerNorm|layer_norm|bias", name)


class AdamW:
    """PyTorch's optimizer and gradient clipping (Loshchilov & Hutter 2019, algorithm 2)."""

    def __init__(self, weights, options):
        self.parameters = list(weights.values())
        groups = [{"params": [weight for name, weight in weights.items() if decays(name) == decayed],
                   "weight_decay": options["weight_decay"] if decayed else 0.0} for decayed in (True, False)]
        self.optimizer = torch.optim.AdamW(groups, lr=0.0, betas=(options["beta1"], options["beta2"]),
                                           eps=options["epsilon"])
        self.clip = options["clip"]

    def step(self, rate):
        """Returns the norm of the gradients before clipping."""
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, self.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        return float(norm)


class GoogleAdam:
    """BERT's own optimizer: moments without bias correction, decay added to the update, ε outside of the
    root."""

    def __init__(self, weights, options):
        self.weights, self.options = weights, options
        self.moments = {name: (torch.zeros_like(weight), torch.zeros_like(weight))
                        for name, weight in weights.items()}

    @torch.no_grad()
    def step(self, rate):
        options = self.options
        norm = norm_of([weight.grad for weight in self.weights.values()])
        scale = options["clip"] / max(norm, options["clip"])
        for name, weight in self.weights.items():
            gradient = weight.grad * scale
            first, second = self.moments[name]
            first.mul_(options["beta1"]).add_(gradient, alpha=1 - options["beta1"])
            second.mul_(options["beta2"]).add_(gradient.square(), alpha=1 - options["beta2"])
            update = first / (second.sqrt() + options["epsilon"])
            if decays(name):
                update = update + options["weight_decay"] * weight
            weight -= rate * update
        return norm


OPTIMIZERS = {"adamw": AdamW, "google": GoogleAdam}


def linear_rate(step, options):
    """Rises to `rate` during warmup, then falls to 0 at the end; `step` counts from 0, so the first rate is
    0."""
    warmup, steps = options["warmup"], options["steps"]
    if step < warmup:
        return options["rate"] * step / warmup
    return options["rate"] * (steps - step) / (steps - warmup)


def google_rate(step, options):
    """The decay is counted from step 0, so the rate drops at the end of warmup."""
    if step < options["warmup"]:
        return options["rate"] * step / options["warmup"]
    return options["rate"] * (1 - min(step, options["steps"]) / options["steps"])


SCHEDULES = {"linear": linear_rate, "google": google_rate}


def train(bert, steps, options, learn=forward_backward):
    """Yields the result of `learn` for each step, with its "rate" and "norm"."""
    optimizer = OPTIMIZERS[options["optimizer"]](bert.weights, options)
    for number, step in enumerate(steps):
        for weight in bert.weights.values():
            weight.grad = torch.zeros_like(weight)
        result = learn(bert, step)
        result["rate"] = SCHEDULES[options["schedule"]](number, options)
        result["norm"] = optimizer.step(result["rate"])
        yield result
