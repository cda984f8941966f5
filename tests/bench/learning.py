#!/usr/bin/python3
"""Pre-trains one model on the same instances with bert-train and PyTorch; prints both curves (Markdown).

    /usr/bin/python3 tests/bench/learning.py BUILD_DIR [--work DIR] [--steps 750] [--batch 32] [--lr 1e-3] [--mlm-only]
        [--positions normal|sinusoid] [--seeds 2] [--torch-seeds 1] [--rounds 3] [--only SECTION,...] [--plot FILE]

Sections: data (a vocabulary of 8,192 tokens learned on the 100 novels, their ids, the instances), torch
(pretrain_torch.py of the peers), ours (bert-train), curves (a table of both), speed (steps per second,
measured in turn; only this section needs an otherwise idle machine). Each section leaves its files in DIR, so
it can be run later or again.

The model is mini (4 x 256, 128 tokens), f32, without dropout. Data, batches, optimizer and schedule are
exactly the same: pretrain_torch.py draws its instances with Python's random numbers, and this script draws
the same ones and passes them to bert-train in the same order. Initial weights are drawn from the same
distributions but differ. Needs ../shared beside the project or in $BERT_SHARED, and Debian's python3-torch.
"""
import argparse
import json
import os
import random
import runpy
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import PEERS, SHARED, TORCH_SETTING, row, table

LENGTH, CLS, SEP, MASK = 128, 2, 3, 4
HIDDEN = round(0.15 * LENGTH)  # masked tokens per instance
VOCABULARY = 8192
CONFIG = {"model_type": "bert", "vocab_size": VOCABULARY, "hidden_size": 256, "num_hidden_layers": 4,
          "num_attention_heads": 4, "intermediate_size": 1024, "max_position_embeddings": LENGTH,
          "type_vocab_size": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "initializer_range": 0.02,
          "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


class Instances:
    """Draws instances as pretrain_torch.py does: two spans, half of the time from two documents, with masked
    tokens anywhere. Every call of the generator must be the same as there, otherwise all later draws
    differ."""

    def __init__(self, documents, seed):
        self.documents, self.generator = documents, random.Random(seed)
        self.weights = [len(document) for document in documents]

    def draw(self):
        generator = self.generator
        document = generator.choices(self.documents, self.weights)[0]
        first_length = generator.randint(20, LENGTH - 23)
        second_length = LENGTH - 3 - first_length
        start = generator.randrange(0, len(document) - LENGTH)
        split = start + first_length
        first, second = document[start:split], document[split:split + second_length]
        random_next = generator.random() < 0.5
        if random_next:
            document = generator.choices(self.documents, self.weights)[0]
            start = generator.randrange(0, len(document) - LENGTH)
            second = document[start:start + second_length]
        ids = [CLS, *first, SEP, *second, SEP]
        candidates = [place for place, token in enumerate(ids) if token not in (CLS, SEP)]
        positions = sorted(generator.sample(candidates, HIDDEN))
        gold = [ids[place] for place in positions]
        for place in positions:
            chance = generator.random()
            if chance < 0.8:
                ids[place] = MASK
            elif chance < 0.9:
                ids[place] = generator.randrange(5, VOCABULARY)
        return {"input_ids": ids, "token_type_ids": [0] * (first_length + 2) + [1] * (second_length + 1),
                "masked_lm_positions": positions, "masked_lm_ids": gold, "next_sentence_label": int(random_next)}


def read_documents(path):
    """Reads documents as pretrain_torch.py does: a blank line ends a document, short documents are
    skipped."""
    documents = [[]]
    with open(path, encoding="ascii") as lines:
        for line in lines:
            if line.strip():
                documents[-1] += map(int, line.split())
            elif documents[-1]:
                documents.append([])
    return [document for document in documents if len(document) > LENGTH]


def run_torch(seed, arguments):
    """Runs pretrain_torch.py in this process with another seed for its initial weights."""
    import torch
    real = torch.manual_seed
    torch.manual_seed = lambda _: real(seed)
    sys.path.insert(0, str(PEERS))
    sys.argv = [str(PEERS / "pretrain_torch.py"), *arguments]
    runpy.run_path(sys.argv[0], run_name="__main__")


class Learning:
    def __init__(self, options, work):
        self.options, self.work = options, Path(work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.tools = Path(options.build).resolve() / "cmd"
        self.name = "-".join(map(str, [options.steps, options.batch, options.lr, options.positions,
                                       "mlm" if options.mlm_only else "nsp"]))
        self.ids, self.vocab, self.few = self.work / "novels.ids", self.work / "vocab.txt", self.work / "few.ids"
        self.train = self.work / f"train-{self.name}.jsonl"
        self.dev = self.work / f"dev-{self.name}.jsonl"

    # ---- data -----------------------------------------------------------------------------------------------------

    def tokenize(self):
        archive = SHARED / "data/corpus/english_novels.tar.xz"
        subprocess.run(["tar", "xJf", archive, "-C", self.work], check=True)
        novels = sorted((self.work / "english_novels").glob("*.txt"))
        subprocess.run([self.tools / "bert-vocab", "--size", str(VOCABULARY), "--input-format", "file",
                        "--invalid-utf8", "replace", "--force", "-o", self.vocab, *novels], check=True)
        ids = subprocess.run([self.tools / "bert-tokenize", "--vocab", self.vocab, "--uncased", "--no-special-tokens",
                              "--input-format", "file", "--format", "ids", *novels], check=True,
                             stdout=subprocess.PIPE, text=True).stdout.splitlines()
        self.ids.write_text("".join(line + "\n\n" for line in ids))
        self.few.write_text("".join(line + "\n\n" for line in ids[:8]))

    def write(self, path, instances, count):
        with open(path, "w", encoding="ascii") as file:
            for _ in range(count):
                record = instances.draw()
                if self.options.mlm_only:
                    del record["next_sentence_label"]
                file.write(json.dumps(record) + "\n")

    def data(self):
        if not self.ids.exists():
            self.tokenize()
        documents = read_documents(self.ids)
        print(f"\n{len(documents)} novels, {sum(map(len, documents)):,} tokens, the last three held out", flush=True)
        self.write(self.train, Instances(documents[:-3], 0), self.options.steps * self.options.batch)
        self.write(self.dev, Instances(documents[-3:], 99), 6 * 64)

    # ---- the two runs ---------------------------------------------------------------------------------------------

    def torch_command(self, ids, steps, out, seed):
        options = self.options
        arguments = [ids, VOCABULARY, out, steps, options.batch, options.lr, 2, int(not options.mlm_only), 0.15,
                     options.positions]
        return [sys.executable, __file__, "--run-torch", *map(str, [seed, *arguments])]

    def our_command(self, out, seed):
        # --batch-tokens: warmup and decay are then based on records and multiplied, as in PyTorch's run.
        options = self.options
        config = self.work / "config.json"
        config.write_text(json.dumps(CONFIG))
        return [str(word) for word in [
            self.tools / "bert-train", "--task", "pretrain", "--model-config", config, "--vocab", self.vocab, "--uncased",
            "--out", out, "--seed", seed, "--init-positions", options.positions, "-j", 2, "--no-shuffle", "--epochs", 1,
            "--batch-tokens", options.batch * LENGTH, "--dropout", 0, "--optimizer", "adamw", "--beta1", 0.9, "--beta2",
            0.98, "--epsilon", 1e-6, "--weight-decay", 0.01, "--clip", 1, "--lr", options.lr, "--schedule", "linear",
            "--warmup", 300]]

    def torch(self):
        for seed in range(self.options.torch_seeds):
            out = self.work / f"torch-{self.name}-{seed}.jsonl"
            subprocess.run(self.torch_command(self.ids, self.options.steps, out, seed), check=True, cwd=PEERS,
                           env=os.environ | TORCH_SETTING)

    def ours(self):
        for seed in range(self.options.seeds):
            name = f"{self.name}-{seed}"
            plot = ["--plot", self.options.plot] if self.options.plot and seed == 0 else []
            with tempfile.TemporaryDirectory() as out, open(self.work / f"ours-{name}.jsonl", "w") as log:
                subprocess.run([*self.our_command(out, seed), "--dev", self.dev, "--eval-every", "50", "--log-every", "50",
                                *plot, self.train], check=True, stdout=log)

    # ---- tables ---------------------------------------------------------------------------------------------------

    def held_out(self, pattern, names):
        """step -> (loss, accuracy) on held-out tokens, for each run that is there."""
        runs = []
        for path in sorted(self.work.glob(pattern)):
            lines = map(json.loads, path.read_text().splitlines())
            runs.append({line["step"]: (line[names[0]], line[names[1]]) for line in lines if names[0] in line})
        return runs

    def curves(self):
        theirs = self.held_out(f"torch-{self.name}-*.jsonl", ("held_mlm_loss", "held_mlm_accuracy"))
        ours = self.held_out(f"ours-{self.name}-*.jsonl", ("dev_mlm_loss", "dev_mlm_accuracy"))
        table("held-out MLM loss (accuracy), step", *[f"bert-train, seed {i}" for i in range(len(ours))],
              *[f"PyTorch, seed {i}" for i in range(len(theirs))])
        steps = sorted({step for run in theirs or ours for step in run})
        for step in steps:
            cells = [f"{run[step][0]:.3f} ({100 * run[step][1]:.1f} %)" if step in run else "–"
                     for run in [*ours, *theirs]]
            row(f"{step:,}", *cells)

    def speed(self):
        steps, warm_up, few = 30, 10, self.work / f"few-{self.name}.jsonl"
        documents = read_documents(self.few)
        self.write(few, Instances(documents[:-3], 0), (steps + warm_up) * self.options.batch)
        rates = {"ours": [], "torch": []}
        for _ in range(self.options.rounds):
            with tempfile.TemporaryDirectory() as out:
                log = subprocess.run([*self.our_command(out, 0), "--log-every", "1", few], check=True,
                                         stdout=subprocess.PIPE, text=True).stdout
                rate = [json.loads(line)["tokens_per_second"] for line in log.splitlines()]
            assert len(rate) == steps + warm_up
            rates["ours"].append(statistics.median(rate[warm_up:]) / (self.options.batch * LENGTH))
            out = self.work / "speed.jsonl"
            subprocess.run(self.torch_command(self.few, steps, out, 0), check=True, cwd=PEERS, stdout=subprocess.DEVNULL,
                           env=os.environ | TORCH_SETTING)
            rates["torch"].append(steps / json.loads(out.read_text().splitlines()[-1])["seconds"])
        ours, theirs = (statistics.median(rates[who]) for who in ("ours", "torch"))
        table(f"mini, vocabulary of {VOCABULARY:,}, {self.options.batch} × {LENGTH} tokens, two threads", "bert-train",
              "PyTorch", "ratio")
        row("steps a second", f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}")


def main():
    if sys.argv[1:2] == ["--run-torch"]:
        return run_torch(int(sys.argv[2]), sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--work", metavar="DIR")
    parser.add_argument("--steps", type=int, default=750)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--lr", default="1e-3")
    parser.add_argument("--mlm-only", action="store_true")
    parser.add_argument("--positions", choices=["normal", "sinusoid"], default="normal")
    parser.add_argument("--seeds", type=int, default=2, help="number of seeds for bert-train's initial weights")
    parser.add_argument("--torch-seeds", type=int, default=1, help="number of seeds for PyTorch's initial weights")
    parser.add_argument("--rounds", type=int, default=3, help="number of speed measurements")
    parser.add_argument("--only", default="data,torch,ours,curves,speed")
    parser.add_argument("--plot", metavar="FILE", help="write a plot of bert-train's first run")
    options = parser.parse_args()
    if not PEERS.exists():
        print(f"skipped: {SHARED} is absent, which has the novels and the peers")
        return None
    with tempfile.TemporaryDirectory() as folder:
        learning = Learning(options, options.work or folder)
        for section in options.only.split(","):
            getattr(learning, section)()
    return None


if __name__ == "__main__":
    sys.exit(main())
