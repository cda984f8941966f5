#!/usr/bin/python3
"""check_large.py accepts a correct tool and detects each fault of fake_tool.py."""
import contextlib
import io
import os
import sys
import tempfile
import unittest

import check_large  # exits with 77 if PyTorch is absent
import fake_tool
import large_models

HERE = os.path.dirname(os.path.abspath(__file__))
HEADS = {"pretraining": {}, "classify": {"architecture": "BertForSequenceClassification", "labels": 3},
         "regress": {"architecture": "BertForSequenceClassification", "labels": 1}}


class FakeTools(check_large.Tools):
    """Runs the fake tools in this process, because starting PyTorch takes seconds."""

    def __init__(self, fault):
        super().__init__("fake")
        self.fault = fault

    def execute(self, command, text):
        tool = os.path.basename(command[0])
        return 0, "".join(fake_tool.run(tool, self.fault, command[1:], text.splitlines()))


def write_tools(folder, fault):
    """Executables with the names of the real ones."""
    for tool in ("bert-embed", "bert-predict"):
        path = os.path.join(folder, tool)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {sys.executable} -B {HERE}/fake_tool.py {tool} {fault} "$@"\n')
        os.chmod(path, 0o755)


class CheckerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        check_large.torch.set_grad_enabled(False)
        cls.directory = tempfile.TemporaryDirectory()
        cls.subjects = {}
        for name, options in HEADS.items():
            model = os.path.join(cls.directory.name, name)
            large_models.write_seeded(model, "tiny", **options)
            cases = large_models.make_cases(large_models.random_words(1000), 64)
            cls.subjects[name] = check_large.Subject(name, model, cases)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def check_with(self, fault, model="pretraining"):
        """(verdict, report) for tools with this fault."""
        report = io.StringIO()
        with contextlib.redirect_stdout(report):
            verdict = check_large.check(FakeTools(fault), self.subjects[model])
        return verdict, report.getvalue()

    def failed_kinds(self, fault, model):
        verdict, report = self.check_with(fault, model)
        self.assertFalse(verdict)
        return {line.split("error")[0].split(" ", 1)[1].strip() for line in report.splitlines() if "FAILED" in line}

    def test_right_tools_pass(self):
        for model in HEADS:
            verdict, report = self.check_with("none", model)
            self.assertTrue(verdict, report)

    def test_one_wrong_vector_is_caught(self):
        self.assertEqual(self.failed_kinds("hidden", "pretraining"), {"last layer", "last layer token"})
        self.assertEqual(self.failed_kinds("pooled", "pretraining"), {"cls", "mean", "pooler"})

    def test_one_wrong_logit_is_caught(self):
        self.assertEqual(self.failed_kinds("head", "pretraining"), {"fill", "next"})
        self.assertEqual(self.failed_kinds("head", "classify"), {"classify"})
        self.assertEqual(self.failed_kinds("head", "regress"), {"regress"})

    def test_nan_is_caught(self):
        self.assertEqual(self.failed_kinds("nan", "pretraining"), {"layer 0", "layer 0 token"})

    def test_a_missing_record_and_a_failing_tool_are_caught(self):
        with tempfile.TemporaryDirectory() as folder:
            write_tools(folder, "missing")
            tools = check_large.Tools(folder)
            with self.assertRaisesRegex(check_large.Failure, "exit 0, 7 of 8 records"):
                check_large.check_hidden(tools, self.subjects["pretraining"], check_large.Report("test"))
            with self.assertRaisesRegex(check_large.Failure, "exit 2, 0 of 8 records"):
                tools.run("bert-embed", self.subjects["pretraining"], self.subjects["pretraining"].cases, "--what")


if __name__ == "__main__":
    unittest.main()
