#!/usr/bin/env python3
"""Trains a BiLSTM tagger on the features of an unchanged model (Devlin et al. 2018, section 5.3), for bilstm.mk.

    bilstm.py --train train.jsonl train.npy --dev dev.jsonl dev.npy >predictions.jsonl

A JSONL file has records of bert-tokenize --word-ids with words and tags, the npy file a row for each of their tokens, as
bert-embed --pooling none writes it. A word has the features of its first token; words beyond the maximum length are
not trained on and get the tag O. Writes the words of DEV with tags and prediction.

Needs PyTorch and NumPy (Debian: python3-torch).
"""
import argparse
import json
import random
import sys

try:
    import numpy
    import torch
except ImportError as error:
    sys.exit(f"bilstm.py: {error}; on Debian, install python3-torch and run with /usr/bin/python3")

IGNORED = -100  # as in torch.nn.functional.cross_entropy


class Sentences:
    """Records, and the rows of their words' first tokens: -1 for a word without one."""

    def __init__(self, records, features):
        self.rows, self.records = [], []
        self.features = numpy.load(features, mmap_mode="r")
        token = 0
        with open(records, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                record = json.loads(line)
                missing = [name for name in ("words", "tags", "word_ids") if name not in record]
                if missing:
                    sys.exit(f"bilstm.py: {records}:{number}: field \"{missing[0]}\" is missing")
                first = [-1] * len(record["words"])
                for word in record["word_ids"]:
                    if word is not None and first[word] < 0:
                        first[word] = token
                    token += 1
                self.rows.append(first)
                self.records.append({"words": record["words"], "tags": record["tags"]})
        if not self.records:
            sys.exit(f"bilstm.py: {records}: has no sentences")
        if token != len(self.features):
            sys.exit(f"bilstm.py: {features}: has {len(self.features)} rows, but {records} has {token} tokens")

    def batch(self, numbers):
        """Features [sentences, words, width] and lengths; sentences are padded with zeros."""
        found = []
        for i in numbers:
            rows = numpy.array(self.rows[i], dtype=int)
            values = numpy.asarray(self.features[rows], dtype="float32")
            values[rows < 0] = 0
            found.append(torch.from_numpy(values))
        return torch.nn.utils.rnn.pad_sequence(found, batch_first=True), [len(values) for values in found]


class Tagger(torch.nn.Module):
    """Features [B,T,width], for `mix` layers one after the other, to logits [B,T,tags]."""

    def __init__(self, width, mix, units, tags):
        super().__init__()
        # The weighted sum is gamma times the layers' mean with weights softmax(mix).
        self.mix = torch.nn.Parameter(torch.zeros(mix)) if mix else None
        self.gamma = torch.nn.Parameter(torch.ones(())) if mix else None
        self.dropout = torch.nn.Dropout(0.1)
        self.lstm = torch.nn.LSTM(width // max(mix, 1), units, num_layers=2, bidirectional=True, batch_first=True)
        self.head = torch.nn.Linear(2 * units, tags)

    def forward(self, values, lengths):
        if self.mix is not None:
            layers = values.unflatten(2, (len(self.mix), -1))
            values = self.gamma * torch.einsum("btlw,l->btw", layers, self.mix.softmax(0))
        packed = torch.nn.utils.rnn.pack_padded_sequence(self.dropout(values), lengths, batch_first=True, enforce_sorted=False)
        hidden, _ = torch.nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.head(self.dropout(hidden))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", nargs=2, metavar="FILE", required=True)
    parser.add_argument("--dev", nargs=2, metavar="FILE", required=True)
    parser.add_argument("--mix", type=int, default=0, help="learn a weighted sum of this many layers")
    parser.add_argument("--units", type=int, default=768, help="of each direction and layer")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    shuffle = random.Random(options.seed).shuffle
    train, dev = Sentences(*options.train), Sentences(*options.dev)
    names = ["O", *sorted({tag for record in train.records for tag in record["tags"]} - {"O"})]
    ids = {name: i for i, name in enumerate(names)}
    gold = [torch.tensor([ids[tag] if row >= 0 else IGNORED for tag, row in zip(record["tags"], rows)])
            for record, rows in zip(train.records, train.rows)]
    tagger = Tagger(train.features.shape[1], options.mix, options.units, len(names))
    optimizer = torch.optim.Adam(tagger.parameters(), options.lr)
    order = [i for i, rows in enumerate(train.rows) if max(rows, default=-1) >= 0]
    if not order:
        sys.exit(f"bilstm.py: {options.train[0]}: no word has tokens to learn from")
    for epoch in range(options.epochs):
        shuffle(order)
        total = 0.0
        for begin in range(0, len(order), options.batch_size):
            chosen = order[begin:begin + options.batch_size]
            logits = tagger(*train.batch(chosen))
            wanted = torch.nn.utils.rnn.pad_sequence([gold[i] for i in chosen], batch_first=True, padding_value=IGNORED)
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=IGNORED)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(tagger.parameters(), 1)
            optimizer.step()
            total += loss.item() * len(chosen)
        print(f"epoch {epoch + 1}: loss {total / len(order):.4f}", file=sys.stderr)
    tagger.eval()
    for i, record in enumerate(dev.records):
        predicted = ["O"] * len(record["words"])
        if max(dev.rows[i], default=-1) >= 0:
            with torch.no_grad():
                best = tagger(*dev.batch([i]))[0].argmax(1).tolist()
            predicted = [names[tag] if row >= 0 else "O" for tag, row in zip(best, dev.rows[i])]
        print(json.dumps(record | {"prediction": predicted}, ensure_ascii=False))


if __name__ == "__main__":
    main()
