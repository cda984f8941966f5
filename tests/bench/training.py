#!/usr/bin/python3
"""Measures pre-training steps beside PyTorch's, and prints tables (Markdown).

    /usr/bin/python3 tests/bench/training.py BUILD_DIR [--rounds 3] [--only SECTION,...]

Sections: full (sequences of 128 tokens), real (sentences at their own lengths, which PyTorch pads to the
longest of a batch), bf16 (sequences of 128 tokens, --dtype bf16 compared with f32), parts (breakdown of the
time of a step, and its products compared with bare oneDNN), pipe (memory over a million records from a pipe;
--records). f32, two threads, dropout 0.1, AdamW, gradient clipping. Ours is the whole bert-train, which reads
records and writes a training log line for each step; the speed is taken from this log, and the memory is that
of the process, saving included. The first two steps are skipped on both sides. The programs run in turn,
`--rounds` times; medians are reported. Needs ../shared (sentences, vocabulary, peers) beside the project or
in $BERT_SHARED, Debian's python3-torch with libopenblas0-openmp, and an otherwise idle machine.
"""
import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench import HERE, PEERS, SHARED, TORCH_SETTING, row, table

VOCABULARY = SHARED / "data/vocab/bert-base-uncased/vocab.txt"
MASK, THREADS, WARM_UP = 103, 2, 2


def masked(ids, count, generator):
    """A record as written by bert-mask."""
    positions = sorted(generator.sample(range(1, len(ids) - 1), count))
    gold = [ids[place] for place in positions]
    ids = list(ids)
    for place in positions:
        ids[place] = MASK
    half = len(ids) // 2
    return {"input_ids": ids, "token_type_ids": [0] * half + [1] * (len(ids) - half), "masked_lm_positions": positions,
            "masked_lm_ids": gold, "next_sentence_label": generator.randrange(2)}


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


class Bench:
    def __init__(self, options, folder):
        self.options, self.rounds, self.folder = options, options.rounds, Path(folder)
        self.build = Path(options.build).resolve()

    # ---- the contenders -------------------------------------------------------------------------------------------

    def command(self, out, *arguments):
        return [str(word) for word in [
            self.build / "cmd/bert-train", "--task", "pretrain", "--vocab", VOCABULARY, "--uncased", "-j", THREADS,
            "--no-shuffle", "--optimizer", "adamw", "--weight-decay", 0.01, "--clip", 1, "--lr", 1e-4, "--log-every", 1,
            "--out", out, *arguments]]

    def ours(self, shape, batch, records, tokens, *more):
        """Seconds of each step (`tokens` are each step's), and MiB."""
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            command = self.command(out, "--preset", shape, "--batch-size", batch, "--steps", len(tokens), *more, records)
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
                log = [json.loads(line) for line in process.stdout]
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0 or len(log) != len(tokens):
            raise RuntimeError(f"bert-train ended with {process.returncode} after {len(log)} lines")
        return [count / line["tokens_per_second"] for count, line in zip(tokens, log)], usage.ru_maxrss / 1024

    def torch(self, *command):
        return subprocess.run(["/usr/bin/python3", *map(str, command)], check=True, capture_output=True, text=True,
                              cwd=PEERS, env=os.environ | TORCH_SETTING).stdout

    # ---- sections -------------------------------------------------------------------------------------------------

    def sequences(self):
        """Records of 128 tokens: shape, batch, steps, records."""
        for shape, batch, steps in (("base", 8, 6), ("mini", 32, 14)):
            generator, count = random.Random(1), batch * (steps + WARM_UP)
            ids = [[101, *generator.choices(range(1000, 30000), k=126), 102] for _ in range(count)]
            yield shape, batch, steps, write(self.folder / f"{shape}.jsonl", [masked(one, 20, generator) for one in ids])

    def step(self, shape, batch, steps, records, *more):
        """Median seconds, and MiB."""
        seconds, peak = self.ours(shape, batch, records, [batch * 128] * (steps + WARM_UP), *more)
        return statistics.median(seconds[WARM_UP:]), peak

    def full(self):
        table("sequences of 128 tokens", "bert-train, tokens/s", "s a step", "MiB", "PyTorch, tokens/s", "s a step", "MiB",
              "speed", "memory")
        for shape, batch, steps, records in self.sequences():
            tokens = batch * 128
            ours, theirs = [], []
            for _ in range(self.rounds):
                ours.append(self.step(shape, batch, steps, records))
                out = self.torch(PEERS / "train_torch.py", shape, batch, 128, THREADS, "fp32", steps, 0.1)
                found = re.search(r": ([\d.]+) s/step .* peakRSS (\d+) MiB", out)
                theirs.append((float(found[1]), float(found[2])))
            self.compare(f"{shape}, {batch} × 128", tokens, ours, theirs)

    def real(self):
        table("sentences at their own lengths", "bert-train, tokens/s", "s a step", "MiB", "PyTorch, tokens/s", "s a step",
              "MiB", "speed", "memory")
        lines = (PEERS / "sentences.ids").read_text().splitlines()
        generator = random.Random(2)
        ids = [[int(word) for word in line.split()] for line in lines]
        all_records = [masked(one, max(1, round(0.15 * len(one))), generator) for one in ids]
        for shape, count in (("base", self.options.sentences), ("mini", len(all_records))):
            records = write(self.folder / f"real-{shape}.jsonl", all_records[:count])
            batches = [all_records[i:i + 32] for i in range(0, count, 32)]
            lengths = [[len(record["input_ids"]) for record in batch] for batch in batches]
            tokens = [sum(batch) for batch in lengths]
            ours, theirs = [], []
            for _ in range(self.rounds):
                seconds, peak = self.ours(shape, 32, records, tokens)
                ours.append((statistics.mean(seconds[WARM_UP:]), peak))
                out = json.loads(self.torch(HERE / "padded_torch.py", PEERS, shape, records, 32, THREADS))
                theirs.append((statistics.mean(out["seconds"][WARM_UP:]), out["peak_mib"]))
            share = sum(tokens) / sum(32 * max(batch) for batch in lengths)
            self.compare(f"{shape}, {len(batches)} batches of 32 ({100 * share:.0f} % of PyTorch's are not padding)",
                         statistics.mean(tokens[WARM_UP:]), ours, theirs)

    @staticmethod
    def compare(what, tokens, ours, theirs):
        (a, a_peak), (b, b_peak) = ([statistics.median(column) for column in zip(*side)] for side in (ours, theirs))
        row(what, f"{tokens / a:,.0f}", f"{a:.3f}", f"{a_peak:.0f}", f"{tokens / b:,.0f}", f"{b:.3f}", f"{b_peak:.0f}",
            f"{b / a:.2f}", f"{a_peak / b_peak:.2f}")

    def bf16(self):
        table("sequences of 128 tokens", "f32, tokens/s", "bf16, tokens/s", "speed")
        for shape, batch, steps, records in self.sequences():
            turns = [[self.step(shape, batch, steps, records, "--dtype", dtype)[0] for dtype in ("f32", "bf16")]
                     for _ in range(self.rounds)]
            f32, bf16 = (statistics.median(column) for column in zip(*turns))
            row(f"{shape}, {batch} × 128", f"{batch * 128 / f32:,.0f}", f"{batch * 128 / bf16:,.0f}", f"{f32 / bf16:.2f}")

    def parts(self):
        for shape, batch in (("base", 8), ("mini", 32)):
            out = subprocess.run([self.build / "tests/bench/step_bench", shape, str(batch), "128", str(THREADS), "7"],
                                 check=True, capture_output=True, text=True,
                                 env=os.environ | {"OMP_WAIT_POLICY": "PASSIVE"}).stdout
            print(f"\n{shape}, {batch} × 128\n\n```\n{out}```", flush=True)

    def pipe(self):
        """Pipes short records into a run of a tiny model and samples its memory each second."""
        config = {"model_type": "bert", "vocab_size": 30522, "hidden_size": 16, "num_hidden_layers": 1,
                  "num_attention_heads": 1, "intermediate_size": 32, "max_position_embeddings": 16, "type_vocab_size": 2}
        (self.folder / "config.json").write_text(json.dumps(config))
        generator, count = random.Random(3), self.options.records
        some = [json.dumps(masked([101, *generator.choices(range(1000, 30000), k=6), 102], 1, generator)) + "\n"
                for _ in range(10_000)]
        block = "".join(some).encode()
        command = [word for word in self.command(self.folder / "pipe", "--model-config", self.folder / "config.json",
                                                 "--batch-size", 256, "--steps", count // 256, "--save-every", 10**6)
                   if word != "--no-shuffle"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=False) as process:
            def feed():
                try:
                    for _ in range(count // len(some)):
                        process.stdin.write(block)
                    process.stdin.close()
                except BrokenPipeError:
                    pass

            steps, samples = [0], []

            def read():
                for line in process.stdout:
                    steps[0] = json.loads(line)["step"]

            workers = [threading.Thread(target=work) for work in (feed, read)]
            for worker in workers:
                worker.start()
            while process.poll() is None:
                try:
                    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
                except OSError:
                    break
                if found:
                    samples.append((steps[0] * 256, int(found[1]) / 1024))
                time.sleep(0.2)
            for worker in workers:
                worker.join()
        table(f"{count:,} records of 8 tokens from a pipe (exit code {process.returncode})", "MiB")
        for share in (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99):
            at = min(samples, key=lambda sample: abs(sample[0] - share * count))
            row(f"after {at[0]:,}", f"{at[1]:.1f}")
        row("most", f"{max(size for _, size in samples):.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=192, help="use the first N sentences of real lengths (for base)")
    parser.add_argument("--records", type=int, default=1_000_000, help="number of records through the pipe")
    parser.add_argument("--only", default="full,real,parts,pipe")
    options = parser.parse_args()
    if not PEERS.exists():
        print(f"skipped: {SHARED} is absent, which has the sentences and the peers")
        return
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for section in options.only.split(","):
            getattr(bench, section)()


if __name__ == "__main__":
    sys.exit(main())
