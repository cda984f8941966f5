"""The steps of sentence-vector training under test: random examples, the same in every run."""
from heads_cases import Examples

DEFAULTS = {"scale": 20.0, "margin": 5.0, "distance": "euclidean", "dims": [], "pooling": ["mean"]}


class Pairs(Examples):
    def __init__(self, vocabulary, longest, seed):
        super().__init__(vocabulary, seed)
        self.longest = longest

    def text(self, like=None):
        """A sequence; with `like`, one that shares its first half."""
        made = self.sequence(3 + self.below(self.longest - 3))
        if like:
            ids, half = made["input_ids"], min(len(like["input_ids"]), len(made["input_ids"])) // 2
            ids[1:half] = [token if token > 4 else ids[1 + place] for place, token in
                           enumerate(like["input_ids"][1:half])]
        return made

    def rated(self, counts):
        return [self.example(negatives=count) | {"scores": [self.number(-4, 4) for _ in range(count + 1)]}
                for count in counts]

    def guided(self, counts):
        """With vectors of a guide that often finds other texts more similar than the pair."""
        return [self.example(negatives=count) | {"guide": [[self.number(-1, 1) for _ in range(3)] for _ in range(count + 2)]}
                for count in counts]

    def example(self, negatives=0, labels=None):
        anchor = self.text()
        texts = [anchor, self.text(anchor), *(self.text(anchor) for _ in range(negatives))]
        return {"texts": texts} if labels is None else {"texts": texts, "label": labels[self.below(len(labels))]}


def cases_of(vocabulary, longest, seed):
    """A list of {"name", the settings, "first": examples in the first of two micro-batches, "step"}."""
    pairs = Pairs(vocabulary, longest, seed)
    scores = [number / 8 for number in range(9)]

    def case(name, first, step, **settings):
        return {"name": name, **DEFAULTS, **settings, "first": first, "step": step}

    def examples(count, **rest):
        return [pairs.example(**rest) for _ in range(count)]

    def with_negatives(counts):
        return [pairs.example(negatives=count) for count in counts]

    return [
        case("ranking", 3, examples(7), objective="ranking"),
        case("ranking, hard negatives", 1, with_negatives([2, 0, 1, 3, 1]), objective="ranking", scale=5.0,
             pooling=["cls"]),
        case("ranking, Matryoshka", 4, with_negatives([1, 1, 0, 0, 0, 0]), objective="ranking", dims=[8, 17],
             pooling=["cls", "mean"]),
        case("symmetric", 2, with_negatives([1, 0, 2, 0, 0, 1]), objective="symmetric", pooling=["weighted_mean"]),
        case("cosent", 5, examples(9, labels=scores), objective="cosent", pooling=["last"]),
        case("cosine", 2, examples(6, labels=scores), objective="cosine", pooling=["max"]),
        case("triplet", 2, with_negatives([1, 2, 1, 3, 1]), objective="triplet", margin=0.25,
             pooling=["mean_sqrt_len"]),
        case("triplet, cosine", 1, with_negatives([2, 1, 1, 2]), objective="triplet", margin=0.0625,
             distance="cosine", dims=[12]),
        case("margin-mse, Matryoshka", 2, pairs.rated([1, 2, 1, 3]), objective="margin-mse", scale=4.0, dims=[9],
             similarity="cosine", temperature=1.0),
        case("kl, dot product", 1, pairs.rated([2, 1, 3, 1]), objective="kl", pooling=["cls"], similarity="dot",
             temperature=8.0),
        case("gist", 2, pairs.guided([1, 0, 2, 0, 1]), objective="gist", guide_margin=0.125, relative_margin=False),
        case("gist, relative margin, Matryoshka", 3, pairs.guided([0] * 6), objective="gist", scale=50.0, dims=[10],
             guide_margin=0.25, relative_margin=True, pooling=["cls"]),
    ]


def curve_steps(case, vocabulary, longest, steps, batch, seed):
    """Steps like the one of `case`, over few different words, so that something is learned."""
    pairs = Pairs(min(vocabulary, 40), longest, seed)
    labelled = "label" in case["step"][0]
    if "guide" in case["step"][0]:
        return [pairs.guided([1] * batch) for _ in range(steps)]
    if "scores" in case["step"][0]:
        return [pairs.rated([1] * batch) for _ in range(steps)]
    return [[pairs.example(labels=[0.0, 0.5, 1.0]) if labelled else
             pairs.example(negatives=int(case["objective"] == "triplet")) for _ in range(batch)] for _ in range(steps)]
