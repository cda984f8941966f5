#!/usr/bin/python3
"""Writes tests/golden/tools/MODEL.jsonl: what bert-embed and bert-predict must answer to a few texts.

A line: {"tool", "options", "input": the record, "output": the fields that the tool adds}, numbers rounded to 4
decimals. check_tools.py runs the tools and compares.
"""
import json
import math
import os
import re
import shutil
import sys

try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

from bert_reference import Bert
from make_goldens import HERE, MODELS, encoder_directory
from sentence_reference import SentenceModel, pool
from wordpiece import Tokenizer

TEXTS = ["The old king could not find his book.", "a night of music, light and rain in Paris!", "queenless"]
LONG = "the cat and the dog take a long way home over the river, " * 4
CHOICES = [{"text": "the man took the book", "choices": ["and read it", "home", "the king could not find the river"]},
           {"text": "the queen went to Paris by the river", "question": "Where is she?", "choices": ["in Paris", "home"]},
           {"text": "", "question": "", "choices": ["one", "", "two", "the night", "a light in the rain"]},
           {"text": "the only way", "choices": ["home"]}]
PAIRS = [("Who is the king of France?", "the queen said it was a good year"),
         ("The sun was on the water.", "They came down to the river; it was very great.")]
MASKED = ["The [MASK] and the queen of [MASK].", "he could not find [MASK]", "no word is hidden here"]
MASKED_PAIR = ("who said [MASK]?", "The man by the [MASK].")
LEAST_GAP = 5e-5  # relative, between scores whose order matters: more than any f32 error


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in values]  # + 0.0: no -0.0


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
        return self.bert.pooled(self.bert.hidden_states(*self.encode(record))[-1])

    def logits(self, record, head="classifier"):
        return self.bert.linear(head, self.pooled(record))[0]


def text_record(text, pair=None):
    return {"text": text} if pair is None else {"text": text, "text_pair": pair}


def fill(model, record, top=5):
    ids, types = model.encode(record)
    places = [place for place, token in enumerate(ids) if token == model.tokenizer.ids["[MASK]"]]
    prediction, candidates = [], []
    if places:
        rows = model.bert.mlm_transform(model.bert.hidden_states(ids, types)[-1][places])
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
    """log P of the token at `place` when [MASK] stands there."""
    masked = [*ids[:place], model.tokenizer.ids["[MASK]"], *ids[place + 1:]]
    row = model.bert.mlm_transform(model.bert.hidden_states(masked, types)[-1][[place]])
    return float(torch.log_softmax(model.bert.mlm_logits(row)[0], 0)[ids[place]])


def pseudo_perplexity(terms):
    """Salazar et al. 2020, section 2; terms: a log probability a token, None for special ones."""
    terms = [term for term in terms if term is not None]
    return {"prediction": rounded([math.exp(-sum(terms) / len(terms))])[0] if terms else None}


def term_of(model, ids, types, place):
    special = model.tokenizer.pieces[ids[place]] in ("[CLS]", "[SEP]", "[PAD]", "[MASK]")
    return None if special else hidden_log_probability(model, ids, types, place)


def perplexity(model, record):
    ids, types = model.encode(record)
    return pseudo_perplexity([term_of(model, ids, types, place) for place in range(len(ids))])


def perplexity_in_windows(length, overlap):
    """Each token is hidden in the window where the nearer of the window's ends is farthest (ties: see below)."""
    def compute(model, record):
        ids = model.encode(record)[0]
        inner, room = ids[1:-1], length - 2
        best = [(-1.0, None)] * len(inner)
        for begin in range(0, max(len(inner) - overlap, 1), room - overlap):
            window = inner[begin: begin + room]
            for place in range(len(window)):
                context = min(place, len(window) - 1 - place) + 0.01 * len(window)  # a longer window wins a tie
                if context > best[begin + place][0]:
                    best[begin + place] = (context, ([ids[0], *window, ids[-1]], place + 1))
        return pseudo_perplexity([term_of(model, window, None, place) for _, (window, place) in best])
    return compute


def split_text(text):
    """(word, start, end) as BERT's basic tokenizer has them; ASCII alone."""
    return [(found[0], *found.span()) for found in re.finditer(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]", text)]


def token_probabilities(model, pieces, length, overlap):
    """[T,K]: of each token of a text, from the window in which the nearer of the window's ends is farthest."""
    room = length - 2
    best = [(-1.0, None)] * len(pieces)
    for begin in range(0, max(len(pieces) - overlap, 1), room - overlap):
        window = pieces[begin: begin + room]
        ids = [model.tokenizer.ids[piece] for piece in ("[CLS]", *window, "[SEP]")]
        rows = torch.softmax(model.bert.linear("classifier", model.bert.hidden_states(ids)[-1]), 1)
        for place in range(len(window)):
            context = min(place, len(window) - 1 - place) + 0.01 * len(window)
            if context > best[begin + place][0]:
                best[begin + place] = (context, rows[1 + place])
    return [row for _, row in best]


def aggregate_pieces(rows, how):
    if how == "first":
        return rows[0]
    return torch.stack(rows).mean(0) if how == "mean" else max(rows, key=lambda row: float(row.max()))


def chunks(tags):
    """(type, first, past the last) by the rules of conlleval."""
    found = []
    before = "O"
    for place, tag in enumerate([*tags, "O"]):
        kind, _, name = tag.partition("-")
        _, _, last = before.partition("-")
        inside = before != "O"
        if inside and (kind in "OB" or name != last):
            found[-1][2] = place
        if tag != "O" and (not inside or kind == "B" or name != last):
            found.append([name, place, None])
        before = tag
    return found


def tag(how="first", length=48, overlap=23):
    """Words as they are given, or those of the text, which are added then."""
    def compute(model, record):
        names = list(model.bert.config["id2label"].values())
        given = "words" in record
        words = [(word, number, number + 1) for number, word in enumerate(record["words"])] if given else split_text(
            record["text"])
        pieces = [model.tokenizer.tokens(word) for word, _, _ in words]
        rows = token_probabilities(model, sum(pieces, []), length, overlap)
        tags, scores = [], []
        for word in pieces:
            if not word:
                tags.append("O")
                scores.append(0)
                continue
            row, rows = aggregate_pieces(rows[: len(word)], how), rows[len(word):]
            best = row.topk(2).values
            assert best[0] / best[1] > 1 + LEAST_GAP
            tags.append(names[int(row.argmax())])
            scores.append(float(best[0]))
        entities = []
        for name, first, last in chunks(tags):
            start, end = words[first][1], words[last - 1][2]
            text = " ".join(word for word, _, _ in words[first:last]) if given else record["text"][start:end]
            score = sum(scores[first:last]) / (last - first)
            entities.append({"type": name, "text": text, "start": start, "end": end, "score": round(score, 4)})
        output = {"prediction": tags}
        return output | ({} if given else {"words": [word for word, _, _ in words]}) | {"entities": entities}
    return compute


def span_sums(model, question, pieces, length, stride):
    """(start + end logit, first token, last token) of every span of the context, from the windows of its first tokens;
    and the lowest of [CLS], all windows seen."""
    room = length - 3 - len(question)
    windows = []
    for begin in range(0, max(len(pieces), 1), min(room, stride)):
        window = pieces[begin: begin + room]
        tokens = ["[CLS]", *question, "[SEP]", *window, "[SEP]"]
        types = [0] * (len(question) + 2) + [1] * (len(window) + 1)
        hidden = model.bert.hidden_states([model.tokenizer.ids[token] for token in tokens], types)[-1]
        windows.append((begin, len(window), model.bert.linear("qa_outputs", hidden)))
        if begin + room >= len(pieces):
            break
    found = []
    for first in range(len(pieces)):
        holding = [window for window in windows if 0 <= first - window[0] < window[1]]
        begin, count, logits = max(holding, key=lambda w: min(first - w[0], w[0] + w[1] - 1 - first) + 0.01 * w[1])
        at = len(question) + 2 - begin
        found += [(float(logits[at + first, 0] + logits[at + last, 1]), first, last)
                  for last in range(first, begin + count)]
    return found, min(float(logits[0].sum()) for _, _, logits in windows)


def answer(length=48, stride=128, longest=30, best=20, listed=False, threshold=None):
    """run_squad.py's write_predictions where its n best starts and ends hold all that is needed: asserted below by
    comparing only what is far from ties, and by best >= all tokens of a window."""
    def compute(model, record):
        question = model.tokenizer.tokens(record["question"])
        limit = min(64, (length - 3) // 2)
        words = split_text(record["context"])
        pieces, places = [], []
        for word, start, _ in words:
            tokens = model.tokenizer.tokens(word)
            for token in tokens:
                width = len(token.removeprefix("##")) if token != "[UNK]" else len(word)
                pieces.append(token)
                places.append((start, start + width))
                start += width
        sums, null = span_sums(model, question[:limit], pieces, length, stride)
        spans = [(total, places[first][0], places[last][1]) for total, first, last in sums if last - first < longest]
        if threshold is not None:
            spans.append((null, None, None))
        entries = []
        for total, start, end in sorted(spans, key=lambda span: -span[0]):
            text = "" if start is None else record["context"][start:end]
            assert all(abs(total - entry[0]) > LEAST_GAP for entry in entries[-1:])
            if len(entries) < best and text not in [entry[1] for entry in entries]:
                entries.append((total, text, start, end))
        if threshold is not None and "" not in [entry[1] for entry in entries]:
            entries.append((null, "", None, None))
        scores = torch.softmax(torch.tensor([entry[0] for entry in entries], dtype=torch.float64), 0)
        listing = [{"text": text, "start": start, "end": end, "score": score}
                   for (_, text, start, end), score in zip(entries, rounded(scores))]
        chosen = next(entry for entry in listing if entry["text"])
        difference = null - next(entry for entry in entries if entry[1])[0]
        if threshold is not None and difference > threshold:
            chosen = next(entry for entry in listing if not entry["text"])
        output = {"prediction" if key == "text" else key: value for key, value in chosen.items()}
        output |= {"null_score": round(difference, 4)} | ({"n_best": listing} if listed else {})
        return output | ({"truncated": True} if len(question) > limit else {})
    return compute


def rank_sigmoid(model, record):
    return {"prediction": rounded(torch.sigmoid(model.logits(record)))[0]}


def predictions(name, options, compute, inputs):
    return record_predictions(name, options, compute, [text_record(*text) for text in inputs])


def record_predictions(name, options, compute, records):
    model = Model(name)
    return [{"tool": "bert-predict", "options": options, "input": record, "output": compute(model, record)}
            for record in records]


def embedding_of(model, record, options):
    """bert-embed's vector for a bare encoder; options as keywords of this dictionary."""
    states = model.bert.hidden_states(*model.encode(record))
    layers = [states[layer] for layer in options.get("layers", [-1])]
    combine = options.get("combine", "concat")
    total = torch.cat(layers, 1) if combine == "concat" else sum(layers)
    total = total / len(layers) if combine == "mean" else total
    pooling = options.get("pooling", "mean")
    if pooling == "none":
        tokens = [model.tokenizer.pieces[number] for number in model.encode(record)[0]]
        return {"tokens": tokens, "embeddings": [rounded(row) for row in total]}
    vector = model.bert.pooled(total)[0] if pooling == "pooler" else pool(pooling, total)[0]
    vector = vector[: options.get("dim", len(vector))]
    return {"embedding": rounded(vector / vector.norm() if options.get("normalize") else vector)}


def command_line(options):
    words = []
    for name, value in options.items():
        words.append("--" + name)
        if value is not True:
            words.append(",".join(map(str, value)) if isinstance(value, list) else str(value))
    return words


def embeddings(name, choices):
    model = Model(name)
    records = [text_record(TEXTS[0]), text_record(TEXTS[2]), text_record(*PAIRS[0])]
    return [{"tool": "bert-embed", "options": command_line(options), "input": record,
             "output": embedding_of(model, record, options)} for options in choices for record in records]


def sentence_embedding(name, options, prompt, texts=None):
    """Lines of a sentence-transformers directory; `prompt` is what the options come to."""
    model = Model(name)
    prompt_length = len(model.tokenizer.encode(prompt)[0]) - 1 if prompt else 0  # with [CLS], without [SEP]
    lines = []
    for text in texts or TEXTS:
        ids = model.encode({"text": prompt + text})[0]
        limit = 32 if name == "sentence-old" else 48
        output = {"truncated": True} if len(ids) > limit else {}
        ids = ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]
        output["embedding"] = rounded(model.sentence.embedding(ids, prompt_length)[0])
        lines.append({"tool": "bert-embed", "options": options, "input": {"text": text}, "output": output})
    return lines


def all_lines():
    """(model, its lines)"""
    masked = [(text,) for text in MASKED] + [MASKED_PAIR]
    single = [(text,) for text in TEXTS] + PAIRS
    for name in ("pretraining", "masked-lm", "half", "brain", "legacy-names"):
        lines = predictions(name, [], fill, masked)
        if name == "pretraining":
            lines += predictions(name, ["--task", "next"], next_sentence, PAIRS)
            lines += predictions(name, ["--task", "perplexity"], perplexity,
                                 [*single, (MASKED[0],), ("",), ("the zzz cat", "")])
            lines += predictions(name, ["--task", "perplexity", "--overflow", "split", "--max-length", "17",
                                        "--overlap", "6"], perplexity_in_windows(17, 6), [(LONG,), (TEXTS[0],)])
        yield name, lines
    yield "next", predictions("next", ["--task", "next"], next_sentence, PAIRS)
    yield "classify", predictions("classify", [], classify, single)
    yield "regress", predictions("regress", [], regress, single)
    yield "multilabel", predictions("multilabel", [], multilabel, single)
    yield "rank", predictions("rank", [], rank_sigmoid, PAIRS)
    yield "rank-legacy", predictions("rank-legacy", [], regress, PAIRS)  # its activation is the identity
    tagged = [text_record(text) for text in (*TEXTS, LONG, "", "The unreadableness of Kings' overlongings")]
    tagged += [{"words": ["The", "old", "kingdoms", "", " ", "of", "Paris", "!"]}, {"words": []},
               {"words": LONG.split() + ["unnotable"] * 9}]
    short = ["--max-length", "9", "--overlap", "3"]
    yield "tag", (record_predictions("tag", [], tag(), tagged)
                  + [line for how in ("first", "mean", "max") for line in record_predictions(
                      "tag", ["--aggregate", how, *short], tag(how, 9, 3), tagged)])
    asked = [{"question": PAIRS[0][0], "context": PAIRS[0][1]}, {"question": "where is it?", "context": LONG},
             {"question": "", "context": "The unreadableness of Kings' overlongings"},
             {"question": LONG, "context": "the cat and the dog"}]
    wide = ["--n-best", "60"]  # all starts and ends of a window
    yield "answer", (record_predictions("answer", wide, answer(best=60, listed=True), asked)
                     + [line for threshold in (-3, 0, 3) for line in record_predictions(
                         "answer", [*wide, "--max-length", "20", "--stride", "4", "--max-answer-length", "3",
                                    "--no-answer-threshold", str(threshold)],
                         answer(20, 4, 3, 60, True, threshold), asked)])
    yield "choose", record_predictions("choose", [], choose, CHOICES)
    yield "bare", embeddings("bare", [
        {}, {"pooling": "cls"}, {"pooling": "max"}, {"pooling": "pooler"}, {"pooling": "none", "layers": [0]},
        {"layers": [-1, 0]}, {"normalize": True}, {"dim": 8}, {"dim": 8, "normalize": True}])
    yield "sharded", embeddings("sharded", [{}, {"layers": [1, 2], "combine": "sum"},
                                            {"layers": [0, 1, 2], "combine": "mean", "pooling": "cls"}])
    yield "sentence-old", sentence_embedding("sentence-old", [], "", [*TEXTS, LONG])
    yield "sentence-modes", sentence_embedding("sentence-modes", [], "")
    yield "sentence-new", (sentence_embedding("sentence-new", [], "find: ")
                           + sentence_embedding("sentence-new", ["--prompt", "document"], "")
                           + sentence_embedding("sentence-new", ["--prompt", "a word of "], "a word of "))
    yield "sentence-prompt", (sentence_embedding("sentence-prompt", [], "")
                              + sentence_embedding("sentence-prompt", ["--prompt", "query"], "look for the book: "))


def main():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    directory = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "tools")
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    for name, lines in all_lines():
        with open(os.path.join(directory, name + ".jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


if __name__ == "__main__":
    main()
