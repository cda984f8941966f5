#!/usr/bin/python3
"""check_tools.py accepts the expected output and detects each kind of difference."""
import contextlib
import io
import os
import sys
import tempfile
import unittest

import check_tools

LINE = {"input": {"id": 1, "text": "a"},
        "output": {"prediction": "yes", "scores": {"yes": 0.75, "no": 0.25}, "rows": [[1.0, -2.0]]}}
RIGHT = {"id": 1, "text": "a", "prediction": "yes", "scores": {"yes": 0.75004, "no": 0.24996}, "rows": [[1, -2.0]]}
WRONG = {
    "a number": {"scores": {"yes": 0.7502, "no": 0.25}},
    "the order of labels": {"scores": {"no": 0.25, "yes": 0.75}},
    "a label": {"prediction": "no"},
    "a missing number": {"rows": [[1.0]]},
    "a number too many": {"rows": [[1, -2], [3]]},
    "null": {"prediction": None},
    "text for a number": {"rows": [["1", -2]]},
    "an own field": {"id": 2},
    "a field too many": {"truncated": True},
}
# A tool that prints the expected answers, wherever the model directory is.
ECHO = """#!{python}
import json, os, sys
model = os.path.basename(sys.argv[2])
lines = [json.loads(line) for line in open("{tools}/" + model + ".jsonl")]
for record in map(json.loads, sys.stdin):
    for line in lines:
        mine = line["options"] == sys.argv[5:] and line["tool"] == os.path.basename(sys.argv[0])
        if mine and line["input"] == record:
            print(json.dumps(record | line["output"]))
"""


class CheckToolsTest(unittest.TestCase):
    def test_rounding_passes(self):
        self.assertIsNone(check_tools.answer_difference(RIGHT, LINE))

    def test_every_difference_is_caught(self):
        for what, change in WRONG.items():
            self.assertIsNotNone(check_tools.answer_difference(RIGHT | change, LINE), what)

    def test_fields_may_not_stand_before_the_inputs_own(self):
        self.assertIsNotNone(check_tools.answer_difference(dict(reversed(RIGHT.items())), LINE))

    def test_all_records_of_right_tools_pass(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as report:
            for tool in ("bert-embed", "bert-predict"):
                with open(os.path.join(folder, tool), "w", encoding="utf-8") as file:
                    file.write(ECHO.format(python=sys.executable, tools=os.path.join(check_tools.HERE, "tools")))
                os.chmod(os.path.join(folder, tool), 0o755)
            self.assertEqual(check_tools.check_all(folder), 0)
            os.remove(os.path.join(folder, "bert-predict"))
            os.symlink("/bin/false", os.path.join(folder, "bert-predict"))
            self.assertEqual(check_tools.check_all(folder), 1)
        self.assertIn("0 failures", report.getvalue())
        self.assertIn("exit 1, 0 of", report.getvalue())


if __name__ == "__main__":
    unittest.main()
