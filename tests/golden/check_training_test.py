#!/usr/bin/python3
"""check_training.py accepts a correct program and detects each fault of a wrong one."""
import contextlib
import io
import sys
import unittest
from unittest import mock

import check_training  # exits with 77 if PyTorch is absent
import torch
from training_reference import forward_backward, gradients_of, trainable

SUBJECT = ((2, 36, 3, 70), 120, 30, [[30, 3, 9], [17]], {})


def probe_with(fault):
    """run_probe() as PyTorch in float32, with the exact gradient of key biases: zero."""
    def run(_, directory, step):
        bert = trainable(directory, torch.float32)
        answer = forward_backward(bert, step)
        gradients = {name: torch.zeros_like(gradient).flatten() if name.endswith("key.bias") else gradient.flatten()
                     for name, gradient in gradients_of(bert).items()}
        fault(answer, gradients)
        return answer, gradients
    return run


class CheckerTest(unittest.TestCase):
    def check_with(self, fault):
        report = io.StringIO()
        with mock.patch.object(check_training, "run_probe", probe_with(fault)), contextlib.redirect_stdout(report):
            verdict = check_training.check(["fake"], "random", SUBJECT)
        return verdict, report.getvalue()

    def test_right_gradients_pass(self):
        verdict, report = self.check_with(lambda answer, gradients: None)
        self.assertTrue(verdict, report)

    def test_each_parameter_counts(self):
        names = gradients_of(self.model()).keys()
        self.assertEqual(len(names), 5 + 2 * 16 + 2 + 5 + 2)
        for name in names:
            def fault(_, gradients, name=name):
                gradients[name][-1] += 2e-5 * max(gradients[name].norm(), 1e-2)
            verdict, report = self.check_with(fault)
            self.assertFalse(verdict, report)
            self.assertIn(name, report)

    def model(self):
        with check_training.tempfile.TemporaryDirectory() as directory:
            sizes, vocabulary, positions, _, rest = SUBJECT
            check_training.write_pretraining_model(directory, "random", sizes, vocabulary, positions, **rest)
            return trainable(directory)

    def test_other_faults_are_named(self):
        def nan(_, gradients):
            gradients["pooler.dense.weight"][3] = float("nan")

        def missing(_, gradients):
            del gradients["cls.predictions.bias"]

        def loss(answer, _):
            answer["mlm_loss"] *= 1 + 1e-5

        def count(answer, _):
            answer["next_right"] += 1

        for fault, word in ((nan, "pooler.dense.weight"), (missing, "cls.predictions.bias"), (loss, "mlm_loss"),
                            (count, "next_right")):
            verdict, report = self.check_with(fault)
            self.assertFalse(verdict, report)
            self.assertIn(word, report)


if __name__ == "__main__":
    unittest.main()
