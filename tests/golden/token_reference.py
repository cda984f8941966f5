"""bert-predict's output from each token of a text: tags and spans, in float64 from the reference's
numbers."""
import re
import sys

try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

from tool_reference import LEAST_GAP, rounded


def split_text(text):
    """(word, start, end) as in BERT's basic tokenizer, for ASCII only."""
    return [(found[0], *found.span()) for found in re.finditer(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]", text)]


def token_probabilities(model, pieces, length, overlap):
    """[T,K]: for each token of a text, from the window with the most context for it."""
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
    """(type, first, last + 1) by the rules of conlleval."""
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
    """The given words, or those of the text, which are then added to the record."""
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
    """(start + end logit, first token, last token) of every span of the context, from the window with the
    most context for its first token; and the lowest null score ([CLS]) over all windows."""
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
    """run_squad.py's write_predictions, provided that the n best starts and ends contain everything needed.
    This holds because only values far from ties are compared and best >= the number of tokens in a window."""
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
