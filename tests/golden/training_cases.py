"""Records in bert-mask's output format, and the steps that training is tested on. Random, the same in every
run."""
import numpy as np

from vocabulary import SPECIALS

PAD, UNK, CLS, SEP, MASK = range(5)


class Records:
    """Makes records over a vocabulary whose first ids are the special tokens."""

    def __init__(self, vocabulary, seed):
        self.vocabulary = vocabulary
        self.generator = np.random.RandomState(seed)

    def below(self, limit):
        return int(self.generator.random_sample() * limit)

    def words(self, number):
        ordinary = self.vocabulary - len(SPECIALS)
        return [len(SPECIALS) + self.below(ordinary) for _ in range(number)]

    def shuffled(self, values):
        return [values[place] for place in np.argsort(self.generator.random_sample(len(values)), kind="stable")]

    def record(self, length, masked=None, label=None, places=None):
        """Masks `masked` tokens (None: 15 %) or those at `places`; a record of 5 or more tokens is a pair."""
        first = length // 3 if length >= 5 else length - 2  # ordinary tokens of the first part
        second = length - 3 - first if length >= 5 else 0
        ids = [CLS, *self.words(first), SEP] + ([*self.words(second), SEP] if second else [])
        record = {"input_ids": ids, "token_type_ids": [0] * (first + 2) + [1] * (length - first - 2)}
        if label is not None:
            record["next_sentence_label"] = label
        if places is None:
            ordinary = [place for place, token in enumerate(ids) if token >= len(SPECIALS)]
            wanted = max(1, round(0.15 * length)) if masked is None else masked
            places = sorted(self.shuffled(ordinary)[:wanted])
        self.hide(record, places)
        return record

    def hide(self, record, places):
        ids = record["input_ids"]
        record["masked_lm_positions"] = places
        record["masked_lm_ids"] = [ids[place] for place in places]
        for place in places:
            chance = self.generator.random_sample()
            ids[place] = MASK if chance < 0.8 else self.words(1)[0] if chance < 0.9 else ids[place]

    def batch(self, lengths, labels=(0, 1), **rest):
        """One record per length, with labels in turn."""
        return [self.record(length, label=labels[number % len(labels)] if labels else None, **rest)
                for number, length in enumerate(lengths)]


def swapped(record):
    """Swaps the two parts and sets label 1 (sentence order prediction); the record must not be masked yet."""
    ids = record["input_ids"]
    middle = ids.index(SEP)
    first, second = ids[1:middle], ids[middle + 1:-1]
    return record | {"input_ids": [CLS, *second, SEP, *first, SEP], "next_sentence_label": 1,
                     "token_type_ids": [0] * (len(second) + 2) + [1] * (len(first) + 1)}


def next_tokens(record):
    """Each token predicts the one after it, as for a left-to-right language model."""
    ids = record["input_ids"]
    return record | {"masked_lm_positions": list(range(len(ids) - 1)), "masked_lm_ids": ids[1:]}


def sentence_order(records, lengths):
    batch = []
    for number, length in enumerate(lengths):
        record = records.record(length, masked=0, label=0)
        record = swapped(record) if number % 3 else record
        places = [place for place, token in enumerate(record["input_ids"]) if token >= len(SPECIALS)]
        records.hide(record, sorted(records.shuffled(places)[:3]))
        batch.append(record)
    return batch


def cases_of(vocabulary, longest, seed=1):
    """{name: step}. Lengths are on both sides of 4, 8, 16 and 32, which are tile boundaries."""
    records = Records(vocabulary, seed)
    lengths = [longest, 3, 17, 5, 31, 4, 16]
    some = records.batch([9, longest - 1, 6])
    some[1] = records.record(longest - 1, masked=0, label=1)
    ends = [records.record(length, label=0, places=places)
            for length, places in ((12, [0, 4, 11]), (3, [0, 1, 2]), (longest, [0, longest - 1]))]
    return {
        "MLM and NSP": [records.batch(lengths)],
        "MLM alone": [records.batch([33, 8, 7, 3], labels=())],
        "sentence order": [sentence_order(records, [15, 32, 9, 6, 20])],
        "a sequence without masked tokens": [some],
        "no masked token at all": [records.batch([18, 3, 7], masked=0)],
        "every token hidden": [records.batch([longest, 10, 3], masked=longest)],
        "first and last places hidden": [ends],
        "two micro-batches": [records.batch([longest, 3, 9]), records.batch([5, 33, 7, 14], labels=(1, 0, 1))],
        "three tokens each": [records.batch([3] * 5)],
    }


def causal_cases(vocabulary, longest, seed=1):
    records = Records(vocabulary, seed)
    return {
        "next tokens": [[next_tokens(records.record(length, masked=0)) for length in (longest, 3, 49, 16)]],
        "two micro-batches": [records.batch([longest, 3, 9]), records.batch([5, 33, 7, 14], labels=(1, 0, 1))],
    }


def curve_steps(vocabulary, longest, steps, batch, seed=2):
    """Few different words, so that `steps` are enough to learn something."""
    records = Records(min(vocabulary, 40), seed)
    return [[[records.record(5 + records.below(longest - 4), label=records.below(2)) for _ in range(batch)]]
            for _ in range(steps)]
