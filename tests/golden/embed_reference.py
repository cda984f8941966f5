"""Training of sentence vectors in plain PyTorch: the losses of sentence-transformers, written from their
definitions, their gradients by autograd.

A step is a list of examples, all passed to one call of the loss. An example has "texts", sequences with
`input_ids` and `token_type_ids`: the anchor, the positive or the other text of a scored pair, then negatives;
and "label", the similarity of a scored pair. There is no dropout.

settings: {"objective" (the loss), "scale", "margin", "distance", "dims", "pooling"} as bert-train's options of these
names; for margin-mse and kl, whose examples have "scores" of a teacher, also "similarity" and "temperature"; for gist,
whose examples have "guide", a vector for each text, also "guide_margin" and "relative_margin".
"""
import torch
import torch.nn.functional as F

from training_reference import gradients_of, norm_of


def pooled(modes, states):
    """sentence-transformers' Pooling of the hidden states [T,H] of one sequence."""
    length = len(states)
    places = torch.arange(1, length + 1, dtype=states.dtype)[:, None]
    vectors = {"cls": lambda: states[0], "last": lambda: states[-1], "max": lambda: torch.max(states, 0)[0],
               "mean": lambda: states.sum(0) / length, "mean_sqrt_len": lambda: states.sum(0) / length ** 0.5,
               "weighted_mean": lambda: (states * places).sum(0) / places.sum()}
    return torch.cat([vectors[mode]() for mode in modes])


def vector_of(bert, modes, text):
    return pooled(modes, bert.hidden_states(text["input_ids"], text["token_type_ids"])[-1])


def cosine_matrix(a, b):
    return F.normalize(a, dim=1) @ F.normalize(b, dim=1).T


def ranking(anchors, positives, negatives, labels, settings):
    scores = settings["scale"] * cosine_matrix(anchors, torch.cat([positives, *negatives]))
    gold = torch.arange(len(anchors))
    return F.cross_entropy(scores, gold), int((scores.argmax(1) == gold).sum())


def symmetric(anchors, positives, negatives, labels, settings):
    forward, right = ranking(anchors, positives, negatives, labels, settings)
    backward, _ = ranking(positives, anchors, [], labels, settings)
    return (forward + backward) / 2, right


def cosent(anchors, positives, negatives, labels, settings):
    scores = settings["scale"] * F.cosine_similarity(anchors, positives)
    differences = (scores[:, None] - scores[None])[labels[:, None] < labels[None]]
    return torch.logsumexp(torch.cat([differences.new_zeros(1), differences]), 0), 0


def cosine(anchors, positives, negatives, labels, settings):
    return F.mse_loss(F.cosine_similarity(anchors, positives), labels), 0


def triplet(anchors, positives, negatives, labels, settings):
    distance = F.pairwise_distance if settings["distance"] == "euclidean" else \
        lambda a, b: 1 - F.cosine_similarity(a, b)
    losses = [F.relu(distance(anchors[i:i + 1], positives[i:i + 1]) - distance(anchors[i:i + 1], negative[None])
                     + settings["margin"]) for i, some in enumerate(negatives) for negative in some]
    return torch.cat(losses).mean(), 0


def ratings_of(anchors, positives, negatives, settings):
    """For each anchor, its similarity with the positive and its negatives."""
    candidates = [torch.cat([positive[None], some]) for positive, some in zip(positives, negatives)]
    if settings["similarity"] == "dot":
        return [some @ anchor for anchor, some in zip(anchors, candidates)]
    return [settings["scale"] * F.cosine_similarity(anchor[None], some) for anchor, some in zip(anchors, candidates)]


def margin_mse(anchors, positives, negatives, scores, settings):
    ratings = ratings_of(anchors, positives, negatives, settings)
    return F.mse_loss(torch.cat([rating[:1] - rating[1:] for rating in ratings]),
                      torch.cat([score[:1] - score[1:] for score in scores])), 0


def kl(anchors, positives, negatives, scores, settings):
    temperature = settings["temperature"]
    losses = [F.kl_div(torch.log_softmax(rating / temperature, 0), torch.softmax(score / temperature, 0), reduction="sum")
              for rating, score in zip(ratings_of(anchors, positives, negatives, settings), scores)]
    return temperature ** 2 * sum(losses) / len(losses), 0


def gist(anchors, positives, negatives, guides, settings):
    guide_anchors, guide_positives = (torch.stack([guide[place] for guide in guides]) for place in (0, 1))
    negatives, guide_negatives = torch.cat(negatives), torch.cat([guide[2:] for guide in guides])

    def compared(anchors, positives, negatives):
        return [cosine_matrix(anchors, positives), cosine_matrix(anchors, anchors), cosine_matrix(positives, positives),
                cosine_matrix(anchors, negatives)]

    of_guide = compared(guide_anchors, guide_positives, guide_negatives)
    near = of_guide[0].diagonal()[:, None]
    limit = near - settings["guide_margin"] * (near.abs() if settings["relative_margin"] else 1)
    gold = torch.arange(len(anchors))
    scores = []
    for kind, (cosines, guide) in enumerate(zip(compared(anchors, positives, negatives), of_guide)):
        mask = guide > limit
        if kind < 3:
            mask[gold, gold] = kind > 0  # the pair itself counts, a text compared with itself does not
        scores.append(cosines.masked_fill(mask, -torch.inf))
    scores = settings["scale"] * torch.cat(scores, 1)
    return F.cross_entropy(scores, gold), int((scores.argmax(1) == gold).sum())


LOSSES = {"ranking": ranking, "symmetric": symmetric, "cosent": cosent, "cosine": cosine, "triplet": triplet,
          "margin-mse": margin_mse, "kl": kl, "gist": gist}


def learn(bert, step, settings):
    """Leaves the gradients in bert.weights. Returns {"loss", "right"}; `right` counts anchors whose positive has
    the highest score."""
    vectors = [torch.stack([vector_of(bert, settings["pooling"], text) for text in example["texts"]])
               for example in step]
    labels = torch.tensor([example.get("label", 0.0) for example in step], dtype=bert.dtype)
    if "scores" in step[0]:
        labels = [torch.tensor(example["scores"], dtype=bert.dtype) for example in step]
    if "guide" in step[0]:
        labels = [torch.tensor(example["guide"], dtype=bert.dtype) for example in step]
    total, right = 0, 0
    for dim in [*settings["dims"], vectors[0].shape[1]]:
        cut = [some[:, :dim] for some in vectors]
        loss, right = LOSSES[settings["objective"]](torch.stack([some[0] for some in cut]),
                                               torch.stack([some[1] for some in cut]),
                                               [some[2:] for some in cut], labels, settings)
        total = total + loss
    total.backward()
    return {"loss": float(total.detach()), "right": right}


def gradients(bert, step, settings):
    """The result of learn with the norm of all gradients, and {name: gradient}."""
    result = learn(bert, step, settings)
    found = gradients_of(bert)
    return result | {"norm": norm_of(found.values())}, found
