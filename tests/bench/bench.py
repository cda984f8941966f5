#!/usr/bin/python3
"""Measures the encoder beside bare oneDNN, the tokenizer, start and memory, and prints tables (Markdown).

    /usr/bin/python3 tests/bench/bench.py BUILD_DIR [--rounds 3] [--sentences 1024] [--only SECTION,...]

Sections: bare (the encoder and oneDNN's products alone), tokenizer (and Hugging Face's), process (whole pipelines), start,
memory. Needs ../shared (texts and ids) beside the project or in $BERT_SHARED, and an otherwise idle machine. The programs run
in turn, `--rounds` times; medians are reported. Hugging Face's tokenizers are an npm package in $NPM_DIR. peers.py measures
inference beside other software.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
SHARED = Path(os.environ.get("BERT_SHARED", PROJECT.parent / "shared"))
PEERS = SHARED / "peers"
sys.path.insert(0, str(HERE.parent / "golden"))
import fast_blas  # noqa: E402

TORCH_SETTING = {"OMP_WAIT_POLICY": "PASSIVE"} | fast_blas.setting()  # of Debian's
SHAPES = {"base": (12, 768, 12, 3072), "minilm": (6, 384, 12, 1536)}


def row(what, ours, *others):
    print("| " + " | ".join([what, ours, *others]) + " |", flush=True)


def table(*columns):
    print()
    row(*columns)
    row(*["---"] * len(columns))


class Bench:
    def __init__(self, build, rounds, sentences, folder):
        self.build, self.rounds, self.folder = Path(build).resolve(), rounds, Path(folder)
        lines = open(PEERS / "sentences.ids").readlines()[:sentences]
        self.ids_file = self.folder / "sentences.ids"
        self.ids_file.write_text("".join(lines))
        self.sentences = PEERS / "sentences.txt"

    def tool(self, name, *arguments):
        return [str(self.build / "cmd" / name), *map(str, arguments)]

    def model(self, shape):
        """A directory with random weights of this shape and the vocabulary of bert-base-uncased."""
        directory = self.folder / shape
        if not directory.exists():
            import large_models  # needs numpy
            large_models.SIZES[shape] = (*SHAPES[shape], 30522)
            large_models.write_seeded(str(directory), shape)
            vocabulary = (SHARED / "data/vocab/bert-base-uncased/vocab.txt").read_bytes()
            (directory / "vocab.txt").write_bytes(vocabulary)
        return directory

    def as_integers(self, shape):
        """The same, stored by --store int8."""
        directory = self.folder / f"{shape}-int8"
        if not directory.exists():
            subprocess.run(self.tool("bert-convert", "--store", "int8", "-o", directory, self.model(shape)), check=True)
        return directory

    def ways(self, shape):
        """Formats of products and weights, and the options for them."""
        return [("f32", ["-m", self.model(shape)]), ("int8", ["-m", self.model(shape), "--dtype", "int8"]),
                ("int8, stored so", ["-m", self.as_integers(shape), "--dtype", "int8"])]

    def seconds(self, command, stdin=os.devnull, stdout=os.devnull):
        with open(stdin, "rb") as source, open(stdout, "wb") as sink:
            start = time.perf_counter()
            subprocess.run(command, stdin=source, stdout=sink, check=True)
            return time.perf_counter() - start

    def median(self, measure):
        return statistics.median(measure() for _ in range(self.rounds))

    # ---- encoder --------------------------------------------------------------------------------------------------

    def bare(self):
        table("encoder beside bare oneDNN on the same panels", "GFLOP/s", "bare", "ratio")
        for shape in SHAPES:
            for threads in (1, 2):
                out = subprocess.run([str(self.build / "tests/bench/nn_bench"), shape, str(threads),
                                      str(self.ids_file), str(self.rounds)],
                                     capture_output=True, text=True, check=True).stdout
                for line in out.splitlines():
                    case, ours, bare, ratio = re.match(
                        r"(\w+) .* ([\d.]+) GFLOP/s  bare oneDNN +([\d.]+) GFLOP/s  ratio ([\d.]+)", line).groups()
                    row(f"{shape} {case}, {threads} thread{'s'[:threads - 1]}", ours, bare, ratio)

    # ---- tokenizer ------------------------------------------------------------------------------------------------

    def english(self):
        """24 MB of novels."""
        path = self.folder / "english.txt"
        if not path.exists():
            archive = SHARED / "data/corpus/english_novels.tar.xz"
            text = subprocess.run(["tar", "xJOf", str(archive)], stdout=subprocess.PIPE, check=True).stdout
            path.write_bytes(text[:24_000_000].decode("utf-8", "ignore").encode())
        return path

    def multilingual(self):
        path = self.folder / "multilingual.txt"
        if not path.exists():
            packed = SHARED / "golden/tokenizer/multilingual-cased.jsonl.xz"
            lines = subprocess.run(["xz", "-dc", str(packed)], stdout=subprocess.PIPE, check=True).stdout
            texts = [json.loads(line)["text"] for line in lines.splitlines()]
            path.write_text("".join(re.sub(r"[\n\r]", " ", text) + "\n" for text in texts) * 8)
        return path

    def tokenizer(self):
        table("tokenizer in memory, ids only", "MB/s, 1 thread", "2 threads")
        for what, model, text in (("English", "bert-base-uncased", self.english()),
                                  ("multilingual", "bert-base-multilingual-cased", self.multilingual())):
            out = subprocess.run([str(self.build / "tests/bench/tokenizer_bench"),
                                  str(SHARED / "data/vocab" / model), str(text)],
                                 capture_output=True, text=True, check=True).stdout
            one, two = re.findall(r"(?:one thread|two threads) +([\d.]+) MB/s", out)[:2]
            row(what, one, two)
        if "NPM_DIR" in os.environ:
            rates = []
            for threads in (1, 2):
                out = subprocess.run(["node", str(PEERS / "tok_hf.js"), "tokenizers",
                                      str(SHARED / "data/vocab/bert-base-uncased/tokenizer.json"),
                                      str(self.english()), "batch", "1000"], capture_output=True, text=True,
                                     env=os.environ | {"RAYON_NUM_THREADS": str(threads)}, check=False)
                rates += re.findall(r"([\d.]+) MB/s", out.stderr + out.stdout)[:1]
            row("Hugging Face tokenizers, English", *rates)

    def process(self):
        vocabulary = SHARED / "data/vocab/bert-base-uncased/vocab.txt"
        text = self.english()
        records = self.folder / "english.jsonl"
        subprocess.run(self.tool("bert-tokenize", "--vocab", vocabulary, "--format", "jsonl", "--drop", "input_ids",
                                 "-o", records, text), check=True)
        megabytes = text.stat().st_size / 1e6
        table("bert-tokenize, whole process", "MB/s of text, 2 threads", "1 thread")
        for what, source, form in (("text to ids", text, "ids"), ("text to JSONL", text, "jsonl"),
                                   ("JSONL to JSONL", records, "jsonl")):
            rates = [megabytes / self.median(lambda: self.seconds(self.tool(
                "bert-tokenize", "--vocab", vocabulary, "--format", form, "-j", threads, source)))
                for threads in (2, 1)]
            row(what, *[f"{rate:.1f}" for rate in rates])

    # ---- start and memory -----------------------------------------------------------------------------------------

    def start(self):
        line = self.folder / "line.txt"
        line.write_text("It was a dark and stormy night.\n")
        table("start, warm page cache", "to the first vector, ms")
        for shape in SHAPES:
            for way, options in self.ways(shape):
                command = self.tool("bert-embed", *options)
                self.seconds(command, line)
                row(f"{shape}, {way}", f"{statistics.median(self.seconds(command, line) for _ in range(15)) * 1e3:.0f}")
        for name in ("bert-embed", "bert-tokenize"):
            command = self.tool(name, "--help")
            row(f"{name} --help", f"{statistics.median(self.seconds(command) for _ in range(15)) * 1e3:.0f}")

    def peak(self, command, lines, source):
        with tempfile.NamedTemporaryFile("w+") as report:
            known = source.read_bytes().splitlines(keepends=True)
            subprocess.run(["/usr/bin/time", "-f", "%M", "-o", report.name, *command],
                           input=b"".join((known * (lines // len(known) + 1))[:lines]), stdout=subprocess.DEVNULL, check=True)
            return int(report.read()) / 1024

    def memory(self):
        table("peak memory", "MiB", "f32 weights, MiB")
        for shape, lines in (("base", 1), ("base", 1024), ("minilm", 1), ("minilm", 8192)):
            weights = (self.model(shape) / "model.safetensors").stat().st_size / 2**20
            for way, options in self.ways(shape):
                command = self.tool("bert-embed", *options, "--format", "f32")
                row(f"bert-embed {shape}, {way}, {lines} lines", f"{self.peak(command, lines, self.sentences):.0f}",
                    f"{weights:.0f}")
        command = self.tool("bert-tokenize", "--vocab", SHARED / "data/vocab/bert-base-uncased/vocab.txt")
        for lines in (10_000, 1_000_000):
            row(f"bert-tokenize, {lines:,} lines", f"{self.peak(command, lines, self.sentences):.0f}", "–")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=1024, help="use the first N sentences of real text")
    parser.add_argument("--only", default="bare,tokenizer,process,start,memory")
    options = parser.parse_args()
    if not PEERS.exists():
        print(f"skipped: {SHARED} is absent, which has the texts and the peers")
        return
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.build, options.rounds, options.sentences, folder)
        for section in options.only.split(","):
            getattr(bench, section)()


if __name__ == "__main__":
    main()
