#!/usr/bin/python3
"""The training reference compared with central differences, PyTorch's own Adam and formulas computed by hand;
also checks that the stored values would reveal a mistake in any part of it."""
import json
import os
import sys
import unittest
from unittest import mock

try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

import training_reference
from bert_reference import Bert, read_json
from make_training import CASE_SEED, MODELS, TRAINING
from training_cases import SEP, cases_of
from training_reference import (GoogleAdam, decays, forward_backward, google_rate, gradients_of, linear_rate,
                                shares_of, train, trainable)


def steps_of(name):
    return cases_of(*MODELS[name][1:3], CASE_SEED)


def stored_records():
    with open(os.path.join(TRAINING, "records.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def gradients(name, step):
    bert = trainable(os.path.join(TRAINING, name))
    result = forward_backward(bert, step)
    return gradients_of(bert), result


class GradientTest(unittest.TestCase):
    def test_gradients_agree_with_central_differences(self):
        for name in MODELS:
            for case, step in steps_of(name).items():
                found = gradients(name, step)[0]
                for part in ("", "embeddings.", "self.", "intermediate.", "LayerNorm", "pooler", "cls."):
                    with self.subTest(model=name, case=case, part=part):
                        self.check_direction(name, step, found, part)

    def check_direction(self, name, step, found, part):
        """Along one random direction in the parameters whose name contains `part`."""
        generator = torch.Generator().manual_seed(5)
        direction = {parameter: torch.randn(gradient.shape, generator=generator, dtype=torch.float64)
                     for parameter, gradient in found.items() if part in parameter}
        h = 1e-5
        losses = []
        for sign in (1, -1):
            bert = Bert.load(os.path.join(TRAINING, name))
            for parameter, change in direction.items():
                bert.weights[parameter] += sign * h * change
            with torch.no_grad():
                losses.append(forward_backward(bert, step)["loss"])
        slope = float(sum((found[parameter] * change).sum() for parameter, change in direction.items()))
        scale = float(sum(gradient.square().sum() for gradient in found.values())) ** 0.5
        self.assertLess(abs((losses[0] - losses[1]) / (2 * h) - slope), 1e-6 * scale)

    def test_micro_batches_change_nothing(self):
        step = steps_of("narrow")["two micro-batches"]
        together = [[record for batch in step for record in batch]]
        cut, whole = gradients("narrow", step), gradients("narrow", together)
        self.assertAlmostEqual(cut[1]["loss"], whole[1]["loss"], 12)
        self.assertLess(max(shares_of(cut[0], whole[0]).values()), 1e-6)

    def test_loss_is_the_mean_over_hidden_tokens_and_over_sequences(self):
        bert = Bert.load(os.path.join(TRAINING, "narrow"))
        step = steps_of("narrow")["MLM and NSP"]
        hidden, following = [], []
        with torch.no_grad():
            for record in step[0]:
                last = bert.hidden_states(record["input_ids"], record["token_type_ids"])[-1]
                for place, token in zip(record["masked_lm_positions"], record["masked_lm_ids"]):
                    logits = bert.mlm_logits(bert.mlm_transform(last[place]))
                    hidden.append(-float(torch.log(logits.exp()[token] / logits.exp().sum())))
                logits = bert.linear("cls.seq_relationship", bert.pooled(last))[0]
                label = record["next_sentence_label"]
                following.append(float(torch.log1p((logits[1 - label] - logits[label]).exp())))
            result = forward_backward(bert, step)
        self.assertAlmostEqual(result["mlm_loss"], sum(hidden) / len(hidden), 12)
        self.assertAlmostEqual(result["next_loss"], sum(following) / len(step[0]), 12)
        self.assertAlmostEqual(result["loss"], result["mlm_loss"] + result["next_loss"], 12)

    def test_key_biases_have_no_gradient(self):
        for step in steps_of("broad").values():
            found = gradients("broad", step)[0]
            for layer in range(2):
                bias = found[f"encoder.layer.{layer}.attention.self.key.bias"]
                self.assertLess(float(bias.abs().max()), 1e-13)

    def test_shares_find_an_error_of_twice_the_bound(self):
        truth = gradients("narrow", steps_of("narrow")["MLM alone"])[0]
        for name, gradient in truth.items():
            spoiled = dict(truth)
            spoiled[name] = gradient + torch.where(gradient.abs() == gradient.abs().max(), 2e-5, 0) * gradient.norm()
            wrong = {other for other, share in shares_of(spoiled, truth).items() if share > 1}
            large = gradient.norm() > 1e-3
            self.assertEqual(wrong, {name} if large else set(), name)
        self.assertEqual(max(shares_of({}, truth).values()), float("inf"))


class CasesTest(unittest.TestCase):
    def test_cases_are_what_they_are_called(self):
        steps = steps_of("narrow")
        self.assertIn(48, [len(record["input_ids"]) for record in steps["MLM and NSP"][0]])
        self.assertNotIn("next_sentence_label", steps["MLM alone"][0][0])
        self.assertEqual([bool(record["masked_lm_positions"])
                          for record in steps["a sequence without masked tokens"][0]], [True, False, True])
        self.assertEqual({len(record["input_ids"]) for record in steps["three tokens each"][0]}, {3})
        self.assertEqual(len(steps["two micro-batches"]), 2)
        self.assertEqual({record["next_sentence_label"] for record in steps["sentence order"][0]}, {0, 1})

    def test_records_are_well_formed(self):
        records = [record for step in steps_of("broad").values() for batch in step for record in batch]
        for record in records + stored_records():
            ids, types = record["input_ids"], record["token_type_ids"]
            self.assertEqual(len(ids), len(types))
            self.assertEqual(types, sorted(types))
            self.assertEqual(len(record["masked_lm_positions"]), len(record["masked_lm_ids"]))
            self.assertEqual(record["masked_lm_positions"], sorted(set(record["masked_lm_positions"])))
            restored = dict(zip(record["masked_lm_positions"], record["masked_lm_ids"]))
            self.assertEqual(restored.get(len(ids) - 1, ids[-1]), SEP)


class OptimizerTest(unittest.TestCase):
    OPTIONS = {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-6, "weight_decay": 0.01, "clip": 1.0}

    def test_decay_spares_biases_and_norms(self):
        decayed = [name for name in Bert.load(os.path.join(TRAINING, "narrow")).weights if decays(name)]
        self.assertEqual(len(decayed), 3 + 2 * 6 + 3)  # embeddings; layers; pooler, transform, next
        self.assertIn("embeddings.position_embeddings.weight", decayed)

    def test_google_by_hand(self):
        weights = {name: torch.tensor([4.0, 4.0], dtype=torch.float64, requires_grad=True)
                   for name in ("dense.weight", "dense.bias")}
        optimizer = GoogleAdam(weights, self.OPTIONS)
        for weight in weights.values():
            weight.grad = torch.tensor([0.3, -0.4], dtype=torch.float64)
        self.assertAlmostEqual(optimizer.step(0.1), 0.5**0.5, 14)  # below 1: not clipped
        update = 0.03 / (0.001**0.5 * 0.3 + 1e-6)  # m = 0.1 g, v = 0.001 g²
        self.assertAlmostEqual(float(weights["dense.bias"][0].detach()), 4 - 0.1 * update, 12)
        self.assertAlmostEqual(float(weights["dense.weight"][0].detach()), 4 - 0.1 * (update + 0.04), 12)

    def test_schedules_at_their_corners(self):
        options = {"rate": 1.0, "warmup": 4, "steps": 20}
        self.assertEqual([linear_rate(step, options) for step in (0, 2, 4, 12, 20)], [0, 0.5, 1, 0.5, 0])
        self.assertEqual([google_rate(step, options) for step in (0, 2, 4, 15, 20, 30)], [0, 0.5, 0.8, 0.25, 0, 0])


class CurveTest(unittest.TestCase):
    """Any change to a stored run changes a loss by more than the tolerance of 1e-5."""

    def setUp(self):
        torch.set_num_threads(1)
        self.curves = read_json(TRAINING, "curves.json")

    def distance(self, name, **changes):
        options = self.curves[name]["options"] | changes
        records = stored_records()
        steps = [[records[begin:begin + options["batch"]]] for begin in range(0, len(records), options["batch"])]
        found = train(trainable(os.path.join(TRAINING, "narrow")), steps, options)
        return max(abs(mine["loss"] / stored["loss"] - 1)
                   for mine, stored in zip(found, self.curves[name]["steps"], strict=True))

    def test_stored_records_give_the_stored_curves(self):
        for name in self.curves:
            self.assertLess(self.distance(name), 1e-9)

    def test_a_changed_option_shows(self):
        for name in self.curves:
            other = {"adamw": "google", "google": "adamw"}[name]
            schedule = {"linear": "google", "google": "linear"}[self.curves[name]["options"]["schedule"]]
            for changes in ({"optimizer": other}, {"schedule": schedule}, {"clip": 10}, {"epsilon": 1e-8},
                            {"beta1": 0.89}, {"beta2": 0.998}, {"weight_decay": 0.09}, {"warmup": 3}, {"steps": 21}):
                self.assertGreater(self.distance(name, **changes), 1.5e-5, (name, changes))

    def test_a_changed_exclusion_from_decay_shows(self):
        for rule in (lambda name: True, lambda name: not name.endswith("bias"), lambda name: "LayerNorm" not in name,
                     lambda name: decays(name) and "embeddings" not in name,
                     lambda name: decays(name) or name == "cls.predictions.bias"):
            with mock.patch.object(training_reference, "decays", rule):
                for name in self.curves:
                    self.assertGreater(self.distance(name), 1.5e-5)


if __name__ == "__main__":
    unittest.main()
