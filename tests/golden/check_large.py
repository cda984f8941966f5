#!/usr/bin/python3
"""Compares bert-embed and bert-predict with the float64 reference on models too large for the repository.

usage: check_large.py [--seeded | --trained | --size NAME] DIRECTORY_OF_THE_TOOLS

Vectors: |a - expected| / |expected| over all tokens of a text, and of the worst token, must be at most 2e-6
or twice the same error of PyTorch's own float32, whichever is larger; for TinyBERT 4e-6. Heads: within that
bound of the head's input, times |w|·|h|. Exit code 0 if all are within bounds, 1 if not, 77 (skipped) without
PyTorch or without the shared data.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import fast_blas

os.environ.update(fast_blas.setting())
try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

import large_models
from bert_reference import Bert
from make_goldens import LEAST_BOUND, worst_row_error

TINYBERT_SEEDS = 6
# For hidden states: the layers are 1,200 wide, and PyTorch's own error changes with its BLAS.
TINYBERT_BOUND = 4e-6
ROUNDING = 2.0**-22  # relative, for a probability computed and printed in f32


class Failure(Exception):
    pass


def error_of_all(values, truth):
    """The relative error of the whole array."""
    return float((values.double() - truth.double()).norm() / truth.double().norm())


class Subject:
    """A model directory, its cases, and the reference's answers in both precisions."""

    def __init__(self, name, directory, cases, hidden_bound=LEAST_BOUND):
        self.name, self.directory, self.cases, self.hidden_bound = name, directory, cases, hidden_bound
        self.models = [Bert.load(directory, dtype) for dtype in (torch.float64, torch.float32)]
        self.states = [[model.hidden_states(case["input_ids"], case["token_type_ids"]) for model in self.models]
                       for case in cases]

    def answers(self, compute, number, error=worst_row_error, least=LEAST_BOUND):
        """compute(model, hidden states) of case `number` in float64, and the bound of its error."""
        truth, own = [compute(model, states) for model, states in zip(self.models, self.states[number])]
        return truth, max(least, 2 * error(own, truth))


class Tools:
    def __init__(self, directory):
        self.directory = directory

    def execute(self, command, text):
        """(exit status, stdout)"""
        done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=False)
        return done.returncode, done.stdout.decode()

    def run(self, tool, subject, cases, *options):
        """One answer per case."""
        read = ("input_ids", "token_type_ids", "question", "context")
        records = [{key: case[key] for key in read if key in case} for case in cases]
        text = "".join(json.dumps(record) + "\n" for record in records)
        command = [os.path.join(self.directory, tool), "-m", subject.directory, "--input-format", "jsonl", *options]
        status, answers = self.execute(command, text)
        lines = answers.splitlines()
        if status != 0 or len(lines) != len(cases):
            raise Failure(f"{' '.join(command)}: exit {status}, {len(lines)} of {len(cases)} records")
        return [json.loads(line) for line in lines]


class Report:
    """The worst error for each kind of number, as a fraction of the tolerance."""

    def __init__(self, name):
        self.name = name
        self.worst = {}

    def add(self, kind, error, bound, place):
        share = error / bound if error == error else float("inf")  # NaN counts as infinite
        if share >= self.worst.get(kind, (-1,))[0]:
            self.worst[kind] = (share, error, bound, place)

    def print(self):
        """Whether all errors are within bounds."""
        for kind, (share, error, bound, place) in self.worst.items():
            verdict = "ok" if share <= 1 else "FAILED"
            print(f"{self.name:14} {kind:17} error {error:.1e} of {bound:.1e} allowed ({place})  {verdict}", flush=True)
        return all(worst[0] <= 1 for worst in self.worst.values())


def as_f32(values):
    return torch.tensor(values, dtype=torch.float32)


def length_of(case):
    return f"{len(case['input_ids'])} tokens"


def check_hidden(tools, subject, report):
    """Embeddings, first, middle and last layer of every token."""
    count = subject.models[0].layers
    layers = sorted({0, 1, count // 2, count})
    answers = tools.run("bert-embed", subject, subject.cases, "--pooling", "none", "--combine", "concat",
                        "--layers", ",".join(map(str, layers)))
    for number, (case, answer) in enumerate(zip(subject.cases, answers)):
        values = as_f32(answer["embeddings"])
        hidden = subject.states[number][0][0].shape[1]
        if values.shape != (len(case["input_ids"]), hidden * len(layers)):
            raise Failure(f"{subject.name}: embeddings of {length_of(case)} have shape {list(values.shape)}")
        for layer, part in zip(layers, values.split(hidden, 1)):
            kind = "last layer" if layer == count else f"layer {layer}"
            for suffix, error in {"": error_of_all, " token": worst_row_error}.items():
                truth, bound = subject.answers(lambda model, states: states[layer], number, error,
                                              subject.hidden_bound)
                report.add(kind + suffix, error(part, truth), bound, length_of(case))


def check_pooling(tools, subject, report):
    poolings = {"cls": lambda model, states: states[-1][:1],
                "mean": lambda model, states: states[-1].mean(0, keepdim=True),
                "pooler": lambda model, states: model.pooled(states[-1])}
    for name, compute in poolings.items():
        answers = tools.run("bert-embed", subject, subject.cases, "--pooling", name)
        for number, (case, answer) in enumerate(zip(subject.cases, answers)):
            truth, bound = subject.answers(compute, number)
            report.add(name, worst_row_error(as_f32([answer["embedding"]]), truth), bound, length_of(case))


def log_softmax_bounds(logits, bounds):
    """For ln p = logit - ln Σ exp(logit), if each logit may be off by its bound: [M,N] -> ln p, bounds."""
    logs = torch.log_softmax(logits, 1)
    return logs, bounds + (logs.exp() * bounds).sum(1, keepdim=True) + ROUNDING * (1 + logs.abs())


def check_log(report, kind, score, truth, bound, place):
    """Compares one probability with ln p; those too small for f32 are skipped."""
    if truth > -80:
        log = torch.log(as_f32(score).double())
        report.add(kind, abs(float(log - truth)), float(bound), place)


def head_bounds(weight, rows, bound):
    return bound * rows.norm(dim=1)[:, None] * weight.norm(dim=1)[None]


def check_fill(tools, subject, report, top=50):
    """Checks the probabilities of the top `top` tokens, and that no better token is missing."""
    places = [number for number, case in enumerate(subject.cases) if case["masked"]]
    answers = tools.run("bert-predict", subject, [subject.cases[number] for number in places], "--task", "fill",
                        "--top-k", str(top))
    model = subject.models[0]
    for number, answer in zip(places, answers):
        case = subject.cases[number]
        rows, bound = subject.answers(lambda m, states: m.mlm_transform(states[-1][case["masked"]]), number)
        allowed = head_bounds(model.mlm_decoder()[0], rows, bound)
        logs, allowed = log_softmax_bounds(model.mlm_logits(rows), allowed)
        if [len(candidates) for candidates in answer["candidates"]] != [top] * len(rows):
            raise Failure(f"{subject.name}: fill of {length_of(case)} does not give {top} candidates a [MASK]")
        for mask, candidates in enumerate(answer["candidates"]):
            found = [candidate["id"] for candidate in candidates]
            for candidate, token in zip(candidates, found):
                check_log(report, "fill", candidate["score"], logs[mask, token], allowed[mask, token], length_of(case))
            least = logs[mask, found].min()
            others = logs[mask].clone()
            others[found] = -torch.inf
            missed = max(0.0, float(others.max() - least))
            report.add("fill top-k", missed, 2 * float(allowed[mask].max()), length_of(case))


def check_probabilities(tools, subject, report, task, head, names):
    """A softmax over the outputs of a linear head on the pooled vector; next sentence applies to pairs
    only."""
    wanted = [number for number, case in enumerate(subject.cases) if task != "next" or 1 in case["token_type_ids"]]
    answers = tools.run("bert-predict", subject, [subject.cases[number] for number in wanted], "--task", task)
    model = subject.models[0]
    for number, answer in zip(wanted, answers):
        case = subject.cases[number]
        rows, bound = subject.answers(lambda m, states: m.pooled(states[-1]), number)
        allowed = head_bounds(model.weights[head + ".weight"], rows, bound)
        logs, allowed = log_softmax_bounds(model.linear(head, rows), allowed)
        for place, name in enumerate(names):
            check_log(report, task, answer["scores"][name], logs[0, place], allowed[0, place], length_of(case))
        best = names.index(answer["prediction"])
        report.add(task + " best", float(logs.max() - logs[0, best]), 2 * float(allowed.max()), length_of(case))


def check_regress(tools, subject, report):
    answers = tools.run("bert-predict", subject, subject.cases, "--task", "regress")
    model = subject.models[0]
    for number, (case, answer) in enumerate(zip(subject.cases, answers)):
        rows, bound = subject.answers(lambda m, states: m.pooled(states[-1]), number)
        allowed = head_bounds(model.weights["classifier.weight"], rows, bound)
        error = abs(float(as_f32(answer["prediction"]).double() - model.linear("classifier", rows)))
        report.add("regress", error, float(allowed) + ROUNDING * abs(answer["prediction"]), length_of(case))


def check_choose(tools, subject, report):
    """One record with all cases as its choices."""
    record = {key: [case[key] for case in subject.cases] for key in ("input_ids", "token_type_ids")}
    scores = tools.run("bert-predict", subject, [record])[0]["scores"]
    model = subject.models[0]
    logits, bounds = [], []
    for number in range(len(subject.cases)):
        rows, bound = subject.answers(lambda m, states: m.pooled(states[-1]), number)
        logits.append(model.linear("classifier", rows))
        bounds.append(head_bounds(model.weights["classifier.weight"], rows, bound))
    logs, allowed = log_softmax_bounds(torch.cat(logits, 1), torch.cat(bounds, 1))
    for place, (case, score) in enumerate(zip(subject.cases, scores)):
        check_log(report, "choose", score, logs[0, place], allowed[0, place], length_of(case))


def check_tag(tools, subject, report):
    """All labels begin an entity, so each token is an entity with its own score."""
    wanted = [number for number, case in enumerate(subject.cases)
              if 1 not in case["token_type_ids"] and len(case["input_ids"]) > 2]
    answers = tools.run("bert-predict", subject, [subject.cases[number] for number in wanted])
    model = subject.models[0]
    names = list(model.config["id2label"].values())
    for number, answer in zip(wanted, answers):
        place = length_of(subject.cases[number])
        rows, bound = subject.answers(lambda m, states: states[-1][1:-1], number)
        allowed = head_bounds(model.weights["classifier.weight"], rows, bound)
        logs, allowed = log_softmax_bounds(model.linear("classifier", rows), allowed)
        if len(answer["entities"]) != len(rows):
            raise Failure(f"{subject.name}: tag of {place} has {len(answer['entities'])} entities")
        for token, (entity, name) in enumerate(zip(answer["entities"], answer["prediction"])):
            label = names.index(name)
            check_log(report, "tag", entity["score"], logs[token, label], allowed[token, label], place)
            missed = float(logs[token].max() - logs[token, label])
            report.add("tag best", missed, 2 * float(allowed[token].max()), place)


def check_answer(tools, subject, report, longest=30):
    """The score difference between no answer and the best one; for pairs with an untruncated question, as
    texts."""
    pieces = large_models.pieces_of(subject.directory)
    model = subject.models[0]
    for number, case in enumerate(subject.cases):
        begin = len(case["token_type_ids"]) - sum(case["token_type_ids"])
        if begin == len(case["token_type_ids"]) or begin > 64:
            continue
        words = [pieces[token] for token in case["input_ids"]]
        record = {"question": " ".join(words[1:begin - 1]), "context": " ".join(words[begin:-1])}
        answer = tools.run("bert-predict", subject, [record], "--n-best", "400")[0]
        rows, bound = subject.answers(lambda m, states: states[-1], number)
        allowed = head_bounds(model.weights["qa_outputs.weight"], rows, bound).max(0).values.sum()
        logits = model.linear("qa_outputs", rows)
        spans = [float(logits[first, 0] + logits[last, 1]) for first in range(begin, len(rows) - 1)
                 for last in range(first, min(first + longest, len(rows) - 1))]
        truth = float(logits[0].sum()) - max(spans)
        report.add("answer", abs(answer["null_score"] - truth), 2 * float(allowed) + ROUNDING * abs(truth),
                   length_of(case))


def check(tools, subject):
    """Whether all outputs that the directory supports are within bounds."""
    report = Report(subject.name)
    model = subject.models[0]
    own = {"BertForMultipleChoice": check_choose, "BertForTokenClassification": check_tag,
           "BertForQuestionAnswering": check_answer}
    architecture = model.config["architectures"][0]
    if architecture in own:  # the encoder is checked with another subject
        own[architecture](tools, subject, report)
        return report.print()
    check_hidden(tools, subject, report)
    if model.has("pooler.dense.weight"):
        check_pooling(tools, subject, report)
    if model.has("cls.predictions.bias"):
        check_fill(tools, subject, report)
    if model.has("cls.seq_relationship.weight"):
        check_probabilities(tools, subject, report, "next", "cls.seq_relationship", ["is_next", "not_next"])
    labels = list(model.config.get("id2label", {}).values())
    if model.has("classifier.weight") and len(labels) == 1:
        check_regress(tools, subject, report)
    elif model.has("classifier.weight"):
        check_probabilities(tools, subject, report, "classify", "classifier", labels)
    return report.print()


def seeded_subjects(directory, sizes):
    for size in sizes:
        heads = [("", {})]
        if size == "mini":
            kind = "BertForSequenceClassification"
            heads += [(" classify", {"architecture": kind, "labels": 3}),
                      (" regress", {"architecture": kind, "labels": 1}),
                      (" choose", {"architecture": "BertForMultipleChoice", "labels": 1}),
                      (" tag", {"architecture": "BertForTokenClassification", "labels": 5}),
                      (" answer", {"architecture": "BertForQuestionAnswering"})]
        for suffix, options in heads:
            model = os.path.join(directory, size + suffix)
            large_models.write_seeded(model, size, **options)
            words = large_models.random_words(large_models.SIZES[size][-1])
            yield Subject(size + suffix, model, large_models.make_cases(words, 512))


def trained_subjects(directory, shared):
    novels = os.path.join(shared, "data/weights/mini-novels")
    yield Subject("mini-novels", novels, large_models.text_cases(novels, shared, 128))
    for seed in range(TINYBERT_SEEDS):
        tinybert = os.path.join(directory, f"tinybert {seed}")
        large_models.write_tinybert(tinybert, shared, seed)
        words = large_models.random_words(30522, seed)
        yield Subject(f"tinybert {seed}", tinybert, large_models.make_cases(words, 128), TINYBERT_BOUND)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeded", action="store_true", help="check all sizes with seeded weights")
    parser.add_argument("--trained", action="store_true", help="check the trained models of the shared data")
    parser.add_argument("--size", choices=large_models.SIZES, action="append", default=[])
    parser.add_argument("tools")
    options = parser.parse_args()
    torch.set_grad_enabled(False)
    repository = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    shared = os.environ.get("BERT_SHARED") or os.path.join(os.path.dirname(repository), "shared")
    if options.trained and not os.path.isdir(os.path.join(shared, "data")):
        print("skipped: ../shared is absent")
        return 77
    tools = Tools(options.tools)
    good = True
    try:
        with tempfile.TemporaryDirectory() as directory:
            for subject in seeded_subjects(directory, list(large_models.SIZES) if options.seeded else options.size):
                good &= check(tools, subject)
            if options.trained:
                for subject in trained_subjects(directory, shared):
                    good &= check(tools, subject)
    except (Failure, OSError) as failure:
        print(f"check_large.py: {failure}")
        return 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
