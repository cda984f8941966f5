"""bert-predict's output from one vector of a text or a masked token, from the float64 reference.

Each function takes a Model and a record and returns the fields that the tool adds.
"""
import math
import os
import sys

try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

from bert_reference import Bert
from make_goldens import MODELS, encoder_directory
from sentence_reference import SentenceModel
from wordpiece import Tokenizer

LEAST_GAP = 5e-5  # relative, between scores whose order matters: larger than any f32 error


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in values]  # + 0.0 avoids -0.0


class Model:
    """A small model with its tokenizer, in float64."""

    def __init__(self, name):
        self.name = name
        directory = os.path.join(MODELS, name)
        self.bert = Bert.load(encoder_directory(directory))
        self.tokenizer = Tokenizer(encoder_directory(directory))
        modules = os.path.exists(os.path.join(directory, "modules.json"))
        self.sentence = SentenceModel(directory) if modules else None

    def encode(self, record):
        return self.tokenizer.encode(record["text"], record.get("text_pair"))

    def pooled(self, record):
        return self.bert.pooled(self.bert.mix(self.bert.hidden_states(*self.encode(record))))

    def logits(self, record, head="classifier"):
        return self.bert.linear(head, self.pooled(record))[0]


def text_record(text, pair=None):
    return {"text": text} if pair is None else {"text": text, "text_pair": pair}


def fill(model, record, top=5):
    ids, types = model.encode(record)
    places = [place for place, token in enumerate(ids) if token == model.tokenizer.ids["[MASK]"]]
    prediction, candidates = [], []
    if places:
        read = [place - 1 for place in places] if model.bert.causal else places
        rows = model.bert.mlm_transform(model.bert.hidden_states(ids, types)[-1][read])
        for scores in torch.softmax(model.bert.mlm_logits(rows), 1):
            best, found = scores.topk(top + 1)
            assert float((best[:-1] / best[1:]).min()) > 1 + LEAST_GAP, (model.name, record)
            tokens = [model.tokenizer.pieces[number] for number in found]
            prediction.append(tokens[0])
            candidates.append([{"token": token, "id": int(number), "score": score}
                               for token, number, score in zip(tokens, found, rounded(best[:top]))])
    return {"prediction": prediction, "candidates": candidates}


def pick(logits, names):
    scores = torch.softmax(logits, 0)
    best = scores.topk(2).values
    assert best[0] / best[1] > 1 + LEAST_GAP
    return {"prediction": names[int(scores.argmax())], "scores": dict(zip(names, rounded(scores)))}


def next_sentence(model, record):
    return pick(model.logits(record, "cls.seq_relationship"), ["is_next", "not_next"])


def classify(model, record):
    return pick(model.logits(record), list(model.bert.config["id2label"].values()))


def multilabel(model, record):
    scores = torch.sigmoid(model.logits(record))
    assert float((scores - 0.5).abs().min()) > LEAST_GAP
    names = list(model.bert.config["id2label"].values())
    chosen = [name for name, score in zip(names, scores) if score > 0.5]
    return {"prediction": chosen, "scores": dict(zip(names, rounded(scores)))}


def regress(model, record):
    return {"prediction": rounded(model.logits(record))[0]}


def choose(model, record):
    """The head gives each choice one number; B is the question, if there is one, and the choice."""
    question = record.get("question")
    texts = [choice if not question else question + " " + choice for choice in record["choices"]]
    logits = torch.cat([model.logits(text_record(record["text"], text)) for text in texts])
    scores = torch.softmax(logits, 0)
    best = sorted(map(float, scores), reverse=True) + [0]
    assert best[0] > best[1] * (1 + LEAST_GAP)
    return {"prediction": int(scores.argmax()), "scores": rounded(scores)}


def hidden_log_probability(model, ids, types, place):
    """log P of the token at `place` with [MASK] in its place, or after the tokens before it."""
    if model.bert.causal:
        row = model.bert.mlm_transform(model.bert.hidden_states(ids, types)[-1][[place - 1]])
        return float(torch.log_softmax(model.bert.mlm_logits(row)[0], 0)[ids[place]])
    masked = [*ids[:place], model.tokenizer.ids["[MASK]"], *ids[place + 1:]]
    row = model.bert.mlm_transform(model.bert.hidden_states(masked, types)[-1][[place]])
    return float(torch.log_softmax(model.bert.mlm_logits(row)[0], 0)[ids[place]])


def pseudo_perplexity(terms):
    """Salazar et al. 2020, section 2; terms: one log probability per token, None for special tokens."""
    terms = [term for term in terms if term is not None]
    return {"prediction": rounded([math.exp(-sum(terms) / len(terms))])[0] if terms else None}


def term_of(model, ids, types, place):
    special = model.tokenizer.pieces[ids[place]] in ("[CLS]", "[SEP]", "[PAD]", "[MASK]")
    return None if special else hidden_log_probability(model, ids, types, place)


def perplexity(model, record):
    ids, types = model.encode(record)
    return pseudo_perplexity([term_of(model, ids, types, place) for place in range(len(ids))])


def perplexity_in_windows(length, overlap):
    """Each token is predicted in the window with the most context for it (ties: see below)."""
    def compute(model, record):
        ids = model.encode(record)[0]
        inner, room = ids[1:-1], length - 2
        best = [(-1.0, None)] * len(inner)
        for begin in range(0, max(len(inner) - overlap, 1), room - overlap):
            window = inner[begin: begin + room]
            for place in range(len(window)):
                context = min(place, len(window) - 1 - place) + 0.01 * len(window)  # ties: longer window
                if model.bert.causal:
                    context = place
                if context > best[begin + place][0]:
                    best[begin + place] = (context, ([ids[0], *window, ids[-1]], place + 1))
        return pseudo_perplexity([term_of(model, window, None, place) for _, (window, place) in best])
    return compute


def rank_sigmoid(model, record):
    return {"prediction": rounded(torch.sigmoid(model.logits(record)))[0]}
