#!/usr/bin/python3
"""Checks heads_reference.py against central differences and against losses computed by hand, and checks that
the cases match their names."""
import math
import os
import sys
import unittest

try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

from heads_cases import cases_of
from heads_reference import IGNORED, OVER_TOKENS, last_of, learn
from make_training import HEADS_SEED, MODELS, TRAINING, learn_head, with_head
from training_reference import norm_of

NARROW = os.path.join(TRAINING, "narrow")


def stored_cases():
    return cases_of(*MODELS["narrow"][1:3], HEADS_SEED)


def case_named(name):
    return next(case for case in stored_cases() if case["name"] == name)


def class_logits(bert, sequence):
    """One plain list of numbers for each labelled token."""
    last = last_of(bert, sequence)
    name = "qa_outputs" if bert.has("qa_outputs.weight") else "classifier"
    rows = bert.pooled(last) if bert.has("pooler.dense.weight") else last
    return [[float(sum(w * x for w, x in zip(weight, row))) + float(bias)
             for weight, bias in zip(bert.weights[name + ".weight"], bert.weights[name + ".bias"])] for row in rows]


def minus_log(logits, gold):
    return math.log(sum(math.exp(logit) for logit in logits)) - logits[gold]


class LossTest(unittest.TestCase):
    def expect(self, name, by_hand):
        case = case_named(name)
        with torch.no_grad():
            bert = with_head(NARROW, case)
            expected = by_hand(bert, case)
        self.assertAlmostEqual(learn_head(NARROW, case)[0]["loss"], expected, 11, name)

    def test_classify(self):
        def by_hand(bert, case):
            losses = [minus_log(class_logits(bert, example)[0], example["label"]) for example in case["step"]]
            return sum(losses) / len(losses)
        self.expect("classify", by_hand)
        self.expect("classify pairs", by_hand)

    def test_class_weights(self):
        def by_hand(bert, case):
            weights = [case["class_weights"][example["label"]] for example in case["step"]]
            losses = [minus_log(class_logits(bert, example)[0], example["label"]) for example in case["step"]]
            return sum(weight * loss for weight, loss in zip(weights, losses)) / sum(weights)
        self.expect("classify, with class weights", by_hand)

    def test_regress(self):
        def by_hand(bert, case):
            return sum((class_logits(bert, example)[0][0] - example["target"]) ** 2
                       for example in case["step"]) / len(case["step"])
        self.expect("regress", by_hand)

    def test_multilabel(self):
        def by_hand(bert, case):
            losses = []
            for example in case["step"]:
                for logit, target in zip(class_logits(bert, example)[0], example["targets"], strict=True):
                    losses.append(math.log1p(math.exp(-logit if target else logit)))
            return sum(losses) / len(losses)
        self.expect("multilabel", by_hand)

    def test_choose(self):
        def by_hand(bert, case):
            losses = [minus_log([class_logits(bert, choice)[0][0] for choice in example["choices"]],
                                example["label"]) for example in case["step"]]
            return sum(losses) / len(losses)
        self.expect("choose", by_hand)

    def test_tag(self):
        def by_hand(bert, case):
            losses = [minus_log(logits, label) for example in case["step"]
                      for logits, label in zip(class_logits(bert, example), example["labels"], strict=True)
                      if label != IGNORED]
            return sum(losses) / len(losses)
        self.expect("tag", by_hand)

    def test_answer(self):
        def by_hand(bert, case):
            total = 0
            for example in case["step"]:
                starts, ends = zip(*class_logits(bert, example))
                total += (minus_log(starts, example["start"]) + minus_log(ends, example["end"])) / 2
            return total / len(case["step"])
        self.expect("answer", by_hand)


class GradientTest(unittest.TestCase):
    def test_gradients_agree_with_central_differences(self):
        for case in stored_cases():
            found = learn_head(NARROW, case)[1]
            for part in ("", "embeddings.", "self.", "LayerNorm", "pooler", "classifier", "qa_outputs"):
                with self.subTest(case=case["name"], part=part):
                    self.check_direction(case, found, part)

    def check_direction(self, case, found, part):
        """Along one random direction in the parameters whose name contains `part`."""
        generator = torch.Generator().manual_seed(5)
        direction = {name: torch.randn(gradient.shape, generator=generator, dtype=torch.float64)
                     for name, gradient in found.items() if part in name}
        h = 1e-5
        rest = {"class_weights": case["class_weights"]} if "class_weights" in case else {}
        losses = []
        for sign in (1, -1):
            bert = with_head(NARROW, case)
            with torch.no_grad():
                for name, change in direction.items():
                    bert.weights[name] += sign * h * change
                losses.append(learn(bert, case["task"], case["step"], **rest)["loss"])
        slope = float(sum((found[name] * change).sum() for name, change in direction.items()))
        self.assertLess(abs((losses[0] - losses[1]) / (2 * h) - slope), 1e-6 * norm_of(found.values()))

    def test_what_all_rows_share_has_no_gradient(self):
        norm = "encoder.layer.1.output.LayerNorm.bias"
        for name, parameter, zero in (("choose", "classifier.bias", True), ("answer", "qa_outputs.bias", True),
                                      ("answer", norm, True), ("choose", norm, False), ("tag", norm, False)):
            gradient = learn_head(NARROW, case_named(name))[1][parameter]
            self.assertEqual(float(gradient.abs().max()) < 1e-14, zero, (name, parameter))


class CasesTest(unittest.TestCase):
    def test_cases_are_what_they_are_called(self):
        cases = {case["name"]: case for case in stored_cases()}
        self.assertEqual({case["task"] for case in cases.values()},
                         {"classify", "regress", "multilabel", "choose", "tag", "answer"})
        for case in cases.values():
            self.assertTrue(0 < case["first"] < len(case["step"]), case["name"])
        for name in ("classify", "classify, with class weights", "classify pairs"):
            self.assertEqual({example["label"] for example in cases[name]["step"]}, set(range(cases[name]["classes"])))
        self.assertEqual({len(example["choices"]) for example in cases["choose"]["step"]}, {2, 3, 4})
        self.assertIn([IGNORED] * 5, [example["labels"] for example in cases["tag"]["step"]])
        for example in cases["tag"]["step"]:
            self.assertEqual(len(example["labels"]), len(example["input_ids"]))
            self.assertEqual(example["labels"][0], IGNORED)
        spans = [(example["start"], example["end"], len(example["input_ids"])) for example in cases["answer"]["step"]]
        self.assertTrue(all(0 <= start <= end < length for start, end, length in spans))
        self.assertIn((0, 0, 33), spans)

    def test_heads_are_where_their_tasks_have_them(self):
        for case in stored_cases():
            bert = with_head(NARROW, case)
            self.assertEqual(bert.has("pooler.dense.weight"), case["task"] not in OVER_TOKENS)
            self.assertEqual(bert.has("qa_outputs.weight"), case["task"] == "answer")
            self.assertFalse(any(name.startswith("cls.") for name in bert.weights))


if __name__ == "__main__":
    unittest.main()
