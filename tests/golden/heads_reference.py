"""Fine-tuning in plain PyTorch: the loss of each head as PyTorch defines it, its gradients by autograd.

A step is a list of examples, all passed to one call of PyTorch's loss. The heads are those of Devlin et al.
2018, section 4 and figure 4: a linear layer over the pooled [CLS] (classify, regress, multilabel, choose) or
over every token (tag, answer). There is no dropout.

An example has `input_ids` and `token_type_ids` and
    classify    "label": a class
    regress     "target": a number
    multilabel  "targets": 0 or 1 for each label
    tag         "labels": a class for each token, or IGNORED
    answer      "start", "end": the positions of the answer's first and last token in this window, 0 for no answer
For choose it has "choices", a list of sequences, and "label", the right one.
"""
import torch
import torch.nn.functional as F

from training_reference import gradients_of, norm_of

IGNORED = -100
OVER_TOKENS = ("tag", "answer")


def last_of(bert, sequence):  # [T,H]
    return bert.mix(bert.hidden_states(sequence["input_ids"], sequence["token_type_ids"]))


def sequence_logits(bert, sequences):  # [B,K]
    return torch.cat([bert.linear("classifier", bert.pooled(last_of(bert, sequence))) for sequence in sequences])


def numbers(bert, values):
    return torch.tensor(values, dtype=bert.dtype)


def classify(bert, step, class_weights=None):
    logits = sequence_logits(bert, step)
    gold = torch.tensor([example["label"] for example in step])
    weights = None if class_weights is None else numbers(bert, class_weights)
    return F.cross_entropy(logits, gold, weight=weights), int((logits.argmax(1) == gold).sum())


def regress(bert, step):
    targets = numbers(bert, [example["target"] for example in step])
    return F.mse_loss(sequence_logits(bert, step)[:, 0], targets), 0


def multilabel(bert, step):
    logits = sequence_logits(bert, step)
    targets = numbers(bert, [example["targets"] for example in step])
    return F.binary_cross_entropy_with_logits(logits, targets), int(((logits > 0) == (targets > 0.5)).sum())


def choose(bert, step):
    losses, right = [], 0
    for example in step:
        logits = sequence_logits(bert, example["choices"]).T  # [1,C]
        losses.append(F.cross_entropy(logits, torch.tensor([example["label"]])))
        right += int(logits.argmax()) == example["label"]
    return torch.stack(losses).mean(), right


def tag(bert, step):
    logits = torch.cat([bert.linear("classifier", last_of(bert, example)) for example in step])
    gold = torch.tensor([label for example in step for label in example["labels"]])
    return F.cross_entropy(logits, gold, ignore_index=IGNORED), int((logits.argmax(1) == gold).sum())


def answer(bert, step):
    losses, right = [], 0
    for example in step:
        for logits, place in zip(bert.linear("qa_outputs", last_of(bert, example)).T,
                                 (example["start"], example["end"])):
            losses.append(F.cross_entropy(logits[None], torch.tensor([place])))
            right += int(logits.argmax()) == place
    return torch.stack(losses).mean(), right  # as many starts as ends: the mean over windows of their mean


TASKS = {"classify": classify, "regress": regress, "multilabel": multilabel, "choose": choose, "tag": tag,
         "answer": answer}


def learn(bert, task, step, **rest):
    """Leaves the gradients in bert.weights. Returns {"loss", "right"}."""
    loss, right = TASKS[task](bert, step, **rest)
    if loss.requires_grad:
        loss.backward()
    return {"loss": float(loss.detach()), "right": right}


def gradients(bert, task, step, **rest):
    """The result of learn with the norm of all gradients, and {name: gradient}."""
    result = learn(bert, task, step, **rest)
    found = gradients_of(bert)
    return result | {"norm": norm_of(found.values())}, found
