"""The fine-tuning steps under test: for each head some random examples, the same in every run."""
from heads_reference import IGNORED
from training_cases import Records
from vocabulary import SPECIALS


class Examples(Records):
    def sequence(self, length):
        record = self.record(length, places=[])
        return {key: record[key] for key in ("input_ids", "token_type_ids")}

    def number(self, least, most):
        """Exact in float32."""
        return least + self.below(1024) * (most - least) / 1024

    def tagged(self, length, classes, share=0.6):
        """The first subword token of some words has a label, all other tokens have none."""
        sequence = self.sequence(length)
        labels = [self.below(classes) if token >= len(SPECIALS) and self.generator.random_sample() < share
                  else IGNORED for token in sequence["input_ids"]]
        return sequence | {"labels": labels}

    def window(self, length, places=None):
        first = self.below(length)
        start, end = places or (first, first + self.below(length - first))
        return self.sequence(length) | {"start": start, "end": end}


def cases_of(vocabulary, longest, seed):
    """A list of {"name", "task", "classes", "first": examples in the first of two micro-batches, "step"}.
    Lengths are on both sides of tile boundaries."""
    examples = Examples(vocabulary, seed)
    lengths = [longest, 3, 17, 5, 31, 4, 16]

    def labelled(some, classes):
        return [examples.sequence(length) | {"label": number % classes} for number, length in enumerate(some)]

    tagged = [examples.tagged(length, 5) for length in lengths]
    tagged[3]["labels"] = [IGNORED] * lengths[3]  # all its words are truncated
    tagged.append(examples.tagged(12, 5, 1))
    windows = [examples.window(length) for length in lengths]
    windows += [examples.window(33, (0, 0)), examples.window(8, (7, 7)), examples.window(longest, (1, longest - 1))]
    choices = [{"choices": [examples.sequence(5 + examples.below(longest - 4)) for _ in range(count)],
                "label": label} for count, label in ((4, 3), (2, 0), (3, 1), (4, 0), (2, 1))]
    return [
        {"name": "classify", "task": "classify", "classes": 3, "first": 4, "step": labelled(lengths, 3)},
        {"name": "classify, with class weights", "task": "classify", "classes": 3, "first": 3,
         "class_weights": [0.25, 2.0, 1.125], "step": labelled([9, longest - 1, 6, 33, 7, 14, 3, 20], 3)},
        {"name": "classify pairs", "task": "classify", "classes": 2, "first": 1,
         "step": labelled([33, 8, 7, longest, 15], 2)},
        {"name": "regress", "task": "regress", "classes": 1, "first": 2,
         "step": [examples.sequence(length) | {"target": examples.number(0, 5)} for length in lengths]},
        {"name": "multilabel", "task": "multilabel", "classes": 6, "first": 5,
         "step": [examples.sequence(length) | {"targets": [examples.below(2) for _ in range(6)]}
                  for length in lengths]},
        {"name": "choose", "task": "choose", "classes": 1, "first": 2, "step": choices},
        {"name": "tag", "task": "tag", "classes": 5, "first": 4, "step": tagged},
        {"name": "answer", "task": "answer", "classes": 2, "first": 3, "step": windows},
        {"name": "classify, weighted layers", "task": "classify", "classes": 3, "first": 4, "weighted": True,
         "step": labelled(lengths, 3)},
        {"name": "tag, weighted layers", "task": "tag", "classes": 5, "first": 4, "weighted": True, "step": tagged},
    ]


def curve_steps(case, vocabulary, longest, steps, batch, seed):
    """Steps of a task, starting from the head of `case`. The label can be derived from the ids, so it can be
    learned."""
    examples, classes = Examples(min(vocabulary, 40), seed), case["classes"]

    def sequence():
        return examples.sequence(5 + examples.below(longest - 4))

    def classify():
        made = sequence()
        return made | {"label": made["input_ids"][1] % classes}

    def regress():
        made = sequence()
        return made | {"target": made["input_ids"][1] / 16}

    def multilabel():
        made = sequence()
        return made | {"targets": [made["input_ids"][1] >> bit & 1 for bit in range(classes)]}

    def tag():
        made = examples.tagged(5 + examples.below(longest - 4), classes)
        return made | {"labels": [IGNORED if label == IGNORED else token % classes
                                  for token, label in zip(made["input_ids"], made["labels"])]}

    def choose():
        made = [sequence() for _ in range(2 + examples.below(3))]
        return {"choices": made, "label": max(range(len(made)), key=lambda i: made[i]["input_ids"][1])}

    def answer():
        made = sequence()
        one, other, third = (made["input_ids"][place] % len(made["input_ids"]) for place in (1, 2, 3))
        start, end = (0, 0) if third == 0 else (min(one, other), max(one, other))
        return made | {"start": start, "end": end}

    make = {"classify": classify, "regress": regress, "multilabel": multilabel, "tag": tag, "choose": choose,
            "answer": answer}[case["task"]]
    return [[make() for _ in range(batch)] for _ in range(steps)]
