#!/usr/bin/python3
"""Measures fine-tuning steps beside PyTorch's, on the sentences of SST-2, and prints a table (Markdown).

    /usr/bin/python3 tests/bench/finetuning_speed.py BUILD_DIR GLUE_DIR VOCAB [--shapes base,mini] [--rounds 3]
        [--turns FILE]

GLUE_DIR contains SST-2/train.tsv; VOCAB is the vocab.txt of bert-base-uncased. Both sides take the same
batches of 32 in file order: f32, two threads, dropout 0.1, AdamW, gradient clipping, random weights. Ours is
the whole bert-train, which reads TSV and writes a training log line for each step; the speed is taken from
this log, and the memory is that of the process, saving included. PyTorch has its tensors ready in memory,
each batch padded to its longest sequence. On both sides tokens are counted without padding, and the first two
steps are skipped. The programs run in turn, `--rounds` times; medians are reported. With `--turns`, the
results of earlier runs in FILE count as well, so that the runs can be spread over several sessions. Needs
../shared/peers beside the project or in $BERT_SHARED, Debian's python3-torch with libopenblas0-openmp, and an
otherwise idle machine.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import PEERS, SHARED, TORCH_SETTING, row, table

BATCH, THREADS, WARM_UP = 32, 2, 2
STEPS = {"base": 6, "mini": 30}


def run_torch(shape, path):
    """Seconds of each step and the process's peak memory in MiB, for the label and the ids in each line of
    `path`."""
    import torch
    import torch.nn.functional as F
    from torch import nn
    sys.path.insert(0, str(PEERS))
    import bert_torch

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = bert_torch.Bert(shape)
            self.pooler, self.classifier = nn.Linear(self.encoder.H, self.encoder.H), nn.Linear(self.encoder.H, 2)

        def forward(self, ids, mask):
            first = self.encoder(ids, mask, None, 0.1)[:, 0]
            return self.classifier(F.dropout(torch.tanh(self.pooler(first)), 0.1, self.training))

    def tensors(lines):
        longest = max(len(ids) for _, ids in lines)
        return (torch.tensor([ids + [0] * (longest - len(ids)) for _, ids in lines]),
                torch.tensor([[int(i < len(ids)) for i in range(longest)] for _, ids in lines]),
                torch.tensor([label for label, _ in lines]))

    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    lines = json.loads(Path(path).read_text(encoding="ascii"))
    batches = [tensors(lines[i:i + BATCH]) for i in range(0, len(lines), BATCH)]
    model = Classifier().train()
    parameters = list(model.parameters())
    optimiser = torch.optim.AdamW([{"params": [p for p in parameters if p.dim() > 1], "weight_decay": 0.01},
                                   {"params": [p for p in parameters if p.dim() <= 1], "weight_decay": 0}], lr=5e-5)
    seconds = []
    for ids, mask, labels in batches:
        start = time.perf_counter()
        optimiser.zero_grad(set_to_none=True)
        F.cross_entropy(model(ids, mask), labels).backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        seconds.append(time.perf_counter() - start)
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tools = Path(options.build).resolve() / "cmd"
        self.turns = {shape: [] for shape in STEPS}
        if options.turns and options.turns.exists():
            self.turns |= json.loads(options.turns.read_text())

    def data(self, shape):
        """The first sentences of SST-2, and [label, ids] for each."""
        count = (STEPS[shape] + WARM_UP) * BATCH
        with open(Path(self.options.glue) / "SST-2/train.tsv", encoding="utf-8") as file:
            lines = [next(file) for _ in range(count + 1)]
        path = self.folder / f"{shape}.tsv"
        path.write_text("".join(lines), encoding="utf-8")
        out = subprocess.run([self.tools / "bert-tokenize", "--vocab", self.options.vocab, "--uncased", "--text-field",
                              "sentence", "--format", "ids", path], check=True, stdout=subprocess.PIPE, text=True).stdout
        ids = [[int(word) for word in line.split()] for line in out.splitlines()]
        return path, [[int(line.split("\t")[1]), one] for line, one in zip(lines[1:], ids, strict=True)]

    def ours(self, shape, path, tokens):
        """Seconds of each step (`tokens` are each step's), and MiB."""
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            command = [self.tools / "bert-train", "--task", "classify", "--preset", shape, "--vocab", self.options.vocab,
                       "--uncased", "--text-field", "sentence", "-j", str(THREADS), "--no-shuffle", "--epochs", "1",
                       "--batch-size", str(BATCH), "--log-every", "1", "--out", out, path]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
                log = [json.loads(line) for line in process.stdout]
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise RuntimeError(f"bert-train ended with {process.returncode}")
        rates = [line["tokens_per_second"] for line in log]
        return [count / rate for count, rate in zip(tokens, rates, strict=True)], usage.ru_maxrss / 1024

    def torch(self, shape, path):
        out = subprocess.run([sys.executable, __file__, "--run-torch", shape, path], check=True, cwd=PEERS,
                             stdout=subprocess.PIPE, text=True, env=os.environ | TORCH_SETTING).stdout
        return json.loads(out)

    def measure(self, shape):
        path, lines = self.data(shape)
        ids = self.folder / f"{shape}.json"
        ids.write_text(json.dumps(lines))
        lengths = [len(one) for _, one in lines]
        batches = [lengths[i:i + BATCH] for i in range(0, len(lengths), BATCH)]
        tokens = [sum(batch) for batch in batches]
        for _ in range(self.options.rounds):
            self.turns[shape].append([(sum(seconds[WARM_UP:]), peak) for seconds, peak in (
                self.ours(shape, path, tokens), self.torch(shape, ids))])
        if self.options.turns:
            self.options.turns.write_text(json.dumps(self.turns) + "\n")
        (ours, our_peak), (theirs, their_peak) = (
            [statistics.median(column) for column in zip(*side)] for side in zip(*self.turns[shape]))
        real, share = sum(tokens[WARM_UP:]), sum(tokens) / sum(BATCH * max(batch) for batch in batches)
        row(f"{shape}, {real / (BATCH * STEPS[shape]):.1f} tokens a sentence, {100 * share:.0f} % of PyTorch's not padding, "
            f"{len(self.turns[shape])} turns", f"{real / ours:,.0f}", f"{ours / STEPS[shape]:.3f}", f"{our_peak:,.0f}",
            f"{real / theirs:,.0f}", f"{theirs / STEPS[shape]:.3f}", f"{their_peak:,.0f}", f"{theirs / ours:.2f}",
            f"{our_peak / their_peak:.2f}")


def main():
    if sys.argv[1:2] == ["--run-torch"]:
        return run_torch(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("glue")
    parser.add_argument("vocab")
    parser.add_argument("--shapes", default="base,mini")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--turns", type=Path, metavar="FILE")
    options = parser.parse_args()
    if not PEERS.exists():
        print(f"skipped: {SHARED} is absent, which has the peers")
        return None
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, Path(folder))
        table("sentences of SST-2", "bert-train, tokens/s", "s a step", "MiB", "PyTorch, tokens/s", "s a step", "MiB",
              "speed", "memory")
        for shape in options.shapes.split(","):
            bench.measure(shape)
    return None


if __name__ == "__main__":
    sys.exit(main())
