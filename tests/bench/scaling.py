#!/usr/bin/python3
"""Measures training by several processes and compares it with a model (Markdown).

    /usr/bin/python3 tests/bench/scaling.py BUILD_DIR [--rounds 3] [--only SECTION,...] [--plot FILE]

Sections: host (one process with two threads beside two ranks with one thread each, in turn, and their memory),
network (two ranks in network namespaces whose link has a limited rate, beside the model; needs root), model
(seconds per step for up to 64 hosts, computed from constants measured by the other sections; the plot needs
gnuplot).

The model: a step of K ranks with P parameters over links that carry B bytes per second in each direction takes

    T + max(s - T·BACKWARD, s·WORDS) + s,    s = 4 P (K - 1) / K / B

T is the time in which a rank computes its part of the batch. It sends gradients (s) while backward computes
those of the levels below, so they are hidden behind backward, except for those of the word embeddings, which
are complete last. Then it sends the new parameters (s again), of which nothing is hidden.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BACKWARD = 0.6  # share of the backward pass in T


class Size:
    def __init__(self, preset, batch, hidden, layers, words=30522):
        self.preset, self.batch = preset, batch
        self.parameters = words * hidden + layers * 12 * hidden**2
        self.words = words * hidden / self.parameters


SIZES = [Size("mini", 32, 256, 4), Size("base", 8, 768, 12)]
LENGTH = 128


def exchange_s(size, ranks, gbit, bytes_per_number=4):
    return bytes_per_number * size.parameters * (ranks - 1) / ranks / (gbit * 1e9 / 8)


def step_s(size, compute_s, ranks, gbit, gradient_bytes=4):
    """Seconds of a step in which each rank computes for compute_s."""
    gradients = exchange_s(size, ranks, gbit, gradient_bytes)
    exposed = max(gradients - BACKWARD * compute_s, gradients * size.words)
    return compute_s + exposed + exchange_s(size, ranks, gbit)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def header(*cells):
    row(*cells)
    row(*["---"] * len(cells))


class Bench:
    def __init__(self, build, rounds, folder):
        self.tools = Path(build).resolve() / "cmd"
        self.rounds, self.folder = rounds, Path(folder)
        generator = random.Random(1)
        vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"w{i}" for i in range(30517)]
        (self.folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
        with open(self.folder / "ids.jsonl", "w") as file:
            for _ in range(600):
                ids = [2] + [generator.randrange(5, 30522) for _ in range(LENGTH - 2)] + [3]
                file.write(json.dumps({"input_ids": ids}) + "\n")

    def command(self, size, threads, steps):
        return [str(self.tools / "bert-train"), "--task", "pretrain", "--preset", size.preset, "--vocab",
                "vocab.txt", "--batch-size", str(size.batch), "--steps", str(steps), "--log-every",
                str(steps // 2), "--save-every", "1000000", "-q", "--lr", "1e-4", "-j", str(threads), "-o",
                "out", "ids.jsonl"]

    def run(self, command):
        """Tokens per second in the second half of the steps, when memory has been touched."""
        subprocess.run(["rm", "-rf", "out"], cwd=self.folder, check=True)
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        result = subprocess.run(command, cwd=self.folder, env=environment, check=True, capture_output=True, text=True)
        lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
        return lines[-1]["tokens_per_second"]

    def host(self):
        print("\nOne host, tokens per second:\n")
        header("", "1 process, 2 threads", "2 ranks, 1 thread each", "ratio")
        for size in SIZES:
            steps = 40 if size.preset == "mini" else 6
            pairs = []
            for _ in range(self.rounds):
                pairs.append((self.run(self.command(size, 2, steps)),
                              self.run(["mpirun", "-n", "2", *self.command(size, 1, steps)])))
            ratio = statistics.median(b / a for a, b in pairs)
            row(f"{size.preset}, {size.batch} × {LENGTH}", *[round(statistics.median(column)) for column in zip(*pairs)],
                f"{ratio:.2f}")

    def memory(self):
        print("\nPeak memory of a rank, MiB (resident set; with several ranks, the largest):\n")
        header("", "1 process", "2 ranks", "4 ranks", "parameters", "moments")
        for size in SIZES:
            peaks = []
            for ranks in (1, 2, 4):
                command = self.command(size, 1, 2)
                measured = ["/usr/bin/time", "-f", "%M", "-a", "-o", "memory", *command]
                (self.folder / "memory").unlink(missing_ok=True)
                self.run(["mpirun", "--oversubscribe", "-n", str(ranks), *measured] if ranks > 1 else measured)
                peaks.append(max(int(line) for line in (self.folder / "memory").read_text().split()) // 1024)
            millions = round(4 * size.parameters / 2**20)
            row(f"{size.preset}, {size.batch} × {LENGTH}", *peaks, millions, 2 * millions)

    def network(self):
        print("\nTwo ranks on two hosts with one core each, seconds per step:\n")
        header("", "link", "exchange of gradients", "measured", "model")
        for size in SIZES:
            steps = 20 if size.preset == "mini" else 4
            seconds = {}
            for gbit in (None, 10, 2.5, 1):
                hosts = ["sh", str(HERE / "two_hosts.sh"), str(self.tools), f"{gbit}gbit" if gbit else "unlimited"]
                rates = [self.run([*hosts, *self.command(size, 1, steps)]) for _ in range(self.rounds)]
                seconds[gbit] = size.batch * LENGTH / statistics.median(rates)
            for gbit, measured in seconds.items():
                if gbit:
                    row(f"{size.preset}, {size.batch} × {LENGTH}", f"{gbit} Gbit/s", f"{exchange_s(size, 2, gbit):.2f}",
                        f"{measured:.2f}", f"{step_s(size, seconds[None], 2, gbit):.2f}")
                else:
                    row(f"{size.preset}, {size.batch} × {LENGTH}", "unlimited", "", f"{measured:.2f}", "")


COMPUTE_S = {"mini": 0.56, "base": 2.8}  # of the batch on a host with two cores


def model(plot):
    ranks = [1, 2, 4, 8, 16, 32, 64]
    print("\nSeconds per step by the model (in parentheses, the share of it in which a host computes), hosts of two")
    print("cores with a batch of their own each:\n")
    header("", "link", *[f"K = {k}" for k in ranks])
    curves = []
    for size in SIZES:
        for gbit in (1, 10, 100):
            compute = COMPUTE_S[size.preset]
            times = [step_s(size, compute, k, gbit) for k in ranks]
            row(f"{size.preset}, {size.batch} × {LENGTH} per host", f"{gbit} Gbit/s",
                *[f"{t:.2f} ({compute / t:.2f})" for t in times])
            curves.append((f"{size.preset}, {gbit} Gbit/s", [k * compute / t for k, t in zip(ranks, times)]))
    print("\nThe same batch for all hosts together (base: 256 × 128):\n")
    header("", "link", *[f"K = {k}" for k in ranks])
    base = SIZES[1]
    for gbit in (10, 100):
        whole = COMPUTE_S["base"] * 256 / base.batch
        times = [step_s(base, whole / k, k, gbit) for k in ranks]
        row("base, 256 × 128", f"{gbit} Gbit/s", *[f"{t:.2f} ({whole / k / t:.2f})" for k, t in zip(ranks, times)])
    times = [step_s(base, whole / k, k, 10, gradient_bytes=2) for k in ranks]
    row("base, 256 × 128, bf16 gradients", "10 Gbit/s",
        *[f"{t:.2f} ({whole / k / t:.2f})" for k, t in zip(ranks, times)])
    if plot:
        draw(plot, ranks, curves)


def draw(path, ranks, curves):
    script = ["set terminal svg size 640,420 font 'sans,12'", f"set output '{path}'", "set logscale xy 2",
              "set xlabel 'hosts'", "set ylabel 'speed, in hosts'", "set key left top", "set grid"]
    for i, (_, values) in enumerate(curves):
        script += [f"$c{i} << END", *[f"{k} {v:.3f}" for k, v in zip(ranks, values)], "END"]
    lines = [f"$c{i} with linespoints title '{name}'" for i, (name, _) in enumerate(curves)]
    script.append("plot x with lines dashtype 2 lc 'gray' title 'ideal', " + ", ".join(lines))
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="host,memory,network,model")
    parser.add_argument("--plot")
    options = parser.parse_args()
    sections = options.only.split(",")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.build, options.rounds, folder)
        for name in ("host", "memory", "network"):
            if name in sections:
                getattr(bench, name)()
    if "model" in sections:
        model(options.plot)


main()
