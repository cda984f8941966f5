#!/usr/bin/python3
"""Measures speed, startup and memory beside other software on the same work, and prints one table (Markdown).

    /usr/bin/python3 tests/bench/bench.py BUILD_DIR [--rounds 3] [--sentences 1024] [--only SECTION,...]

Sections: network (bert-embed, and bare oneDNN, PyTorch, ONNX Runtime), dtypes (the same in int8 and bf16),
tokenizer (and Hugging Face's), process (whole pipelines), start, memory. Needs ../shared (texts, ids, peers)
beside the project or in $BERT_SHARED, and an otherwise idle machine. The programs run in turn, `--rounds`
times; medians are reported. Programs that are not installed are skipped and named: PyTorch is Debian's
python3-torch, ONNX Runtime and tokenizers are npm packages in $NPM_DIR.
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

SHAPES = {"base": (12, 768, 12, 3072), "minilm": (6, 384, 12, 1536)}
TORCH_SETTING = {"OMP_WAIT_POLICY": "PASSIVE"} | fast_blas.setting()


def flops(shape, lengths):
    """For the true lengths of the sequences: products and attention."""
    layers, hidden, _, inner = SHAPES[shape]
    return sum(layers * (n * (8 * hidden * hidden + 4 * hidden * inner) + 4 * n * n * hidden) for n in lengths)


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
        self.ids = [[int(word) for word in line.split()] for line in lines]
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

    def seconds(self, command, stdin=os.devnull, stdout=os.devnull):
        with open(stdin, "rb") as source, open(stdout, "wb") as sink:
            start = time.perf_counter()
            subprocess.run(command, stdin=source, stdout=sink, check=True)
            return time.perf_counter() - start

    def median(self, measure):
        return statistics.median(measure() for _ in range(self.rounds))

    # ---- network --------------------------------------------------------------------------------------------------

    def records(self, name, sequences):
        path = self.folder / name
        path.write_text("".join(json.dumps({"input_ids": ids}) + "\n" for ids in sequences))
        return path

    def rate_less_start(self, shape, threads, many, one, count, dtype="f32"):
        """Sequences per second of the whole process, without the time for startup and the first sequence."""
        command = self.tool("bert-embed", "-m", self.model(shape), "--format", "f32", "-j", threads, "--dtype", dtype)
        return (count - 1) / (self.seconds(command, many) - self.seconds(command, one))

    def latency(self, shape, threads, turns=60, dtype="f32"):
        """Seconds from writing a record of 16 tokens to reading its vector, from a running process."""
        command = self.tool("bert-embed", "-m", self.model(shape), "--precision", "2", "-j", threads, "--dtype", dtype)
        record = (json.dumps({"input_ids": self.sixteen}) + "\n").encode()
        times = []
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
            answers = process.stdout
            for _ in range(turns):
                start = time.perf_counter()
                process.stdin.write(record)
                while not answers.read(1 << 16).endswith(b"\n"):
                    pass
                times.append(time.perf_counter() - start)
            process.stdin.close()
        return statistics.median(times[turns // 6:])

    def peer(self, command, case, environment=()):
        """Sequences per second and milliseconds that a script of ../shared/peers prints for the case."""
        try:
            out = subprocess.run(command, capture_output=True, text=True, check=True, cwd=PEERS,
                                 env=os.environ | dict(environment)).stdout
        except (OSError, subprocess.CalledProcessError):
            return None
        found = re.search(rf"{case} +median ([\d.]+) ms.* ([\d.]+) sent/s", out)
        return (float(found[2]), float(found[1])) if found else None

    def contenders(self, shape, dtype="fp32"):
        ids = str(self.ids_file)

        def torch(case):
            command = ["/usr/bin/python3", str(PEERS / "inf_torch.py"), shape, dtype, "2", ids, case, "1"]
            return self.peer(command, case, TORCH_SETTING)

        def make(onnx, *command):
            if "NPM_DIR" in os.environ and not onnx.exists():
                subprocess.run(["/usr/bin/python3", *map(str, command)], cwd=PEERS, capture_output=True, check=False)
            return onnx

        onnx = self.folder / f"{shape}.onnx"
        make(onnx, PEERS / "export_onnx.py", shape, onnx)
        if dtype == "int8":
            exact, onnx = onnx, self.folder / f"{shape}.int8.onnx"
            make(onnx, HERE / "onnx_int8.py", exact, onnx)

        def runtime(case):
            if not onnx.exists():
                return None
            return self.peer(["node", str(PEERS / "inf_ort.js"), str(onnx), shape, "2", ids, case, "1"], case)

        return torch, runtime

    def cases(self):
        """Number of sequences in each case, the files of their records, and a file with a single record."""
        self.sixteen = [101] + list(range(2000, 2014)) + [102]
        full = [[1000 + (17 * i + 31 * j) % 29000 for j in range(128)] for i in range(128)]
        cases = {"real": self.ids, "full": full}
        files = {case: self.records(f"{case}.jsonl", ids) for case, ids in cases.items()}
        return cases, files, self.records("one.jsonl", [self.sixteen])

    def dtypes(self):
        """Skips what cannot be measured here: bf16 if the processor cannot multiply it."""
        cases, files, one = self.cases()
        usable = [dtype for dtype in ("f32", "int8", "bf16") if subprocess.run(
            self.tool("bert-embed", "-m", self.model("minilm"), "--dtype", dtype, os.devnull),
            capture_output=True, check=False).returncode == 0]
        for shape in SHAPES:
            torch, runtime = self.contenders(shape, "int8")
            table(f"{shape}, 2 threads", *usable, "PyTorch int8", "ONNX Runtime int8")
            for case, ids in cases.items():
                ours = {dtype: [] for dtype in usable}
                peers = ([], [])
                for _ in range(self.rounds):
                    for dtype in usable:
                        ours[dtype].append(self.rate_less_start(shape, 2, files[case], one, len(ids), dtype))
                    for found, run in zip(peers, (torch, runtime)):
                        found.append((run(case) or [None])[0])
                rates = {dtype: statistics.median(found) for dtype, found in ours.items()}
                row(f"{case}: sequences", *[f"{rate:.1f}/s ({rate / rates['f32']:.2f})" for rate in rates.values()],
                    *["–" if None in found else f"{statistics.median(found):.1f}/s" for found in peers])
            row("lat: 16 tokens, to the vector",
                *[f"{self.median(lambda: self.latency(shape, 2, dtype=dtype)) * 1e3:.1f} ms" for dtype in usable],
                *[f"{found[1]:.1f} ms" if (found := run("lat")) else "–" for run in (torch, runtime)])
            commands = [self.tool("bert-embed", "-m", self.model(shape), "--dtype", dtype) for dtype in usable]
            starts = [statistics.median(self.seconds(command, one) for _ in range(15)) for command in commands]
            row("start to the first vector", *[f"{start * 1e3:.0f} ms" for start in starts], "", "")
            peaks = [self.peak(command + ["--format", "f32"], 1024, self.sentences) for command in commands]
            row("peak memory", *[f"{peak:.0f} MiB ({peak / peaks[0]:.2f})" for peak in peaks], "", "")

    def network(self, shape):
        cases, files, one = self.cases()
        torch, runtime = self.contenders(shape)
        table(f"{shape}, f32, 2 threads", "bert-embed", "PyTorch", "ONNX Runtime", "bert-embed -j 1")
        for case, ids in cases.items():
            results = {name: [] for name in ("two", "torch", "ort", "single")}
            for _ in range(self.rounds):
                results["two"].append(self.rate_less_start(shape, 2, files[case], one, len(ids)))
                results["torch"].append((torch(case) or [None])[0])
                results["ort"].append((runtime(case) or [None])[0])
                results["single"].append(self.rate_less_start(shape, 1, files[case], one, len(ids)))
            medians = {name: statistics.median(values) if None not in values else None
                       for name, values in results.items()}
            work = flops(shape, map(len, ids)) / len(ids) / 1e9
            text = {name: "–" if rate is None else f"{rate:.1f}/s ({rate * work:.0f} GFLOP/s)"
                    for name, rate in medians.items()}
            row(f"{case}: sequences", *text.values())
        lat = [self.median(lambda: self.latency(shape, threads)) * 1e3 for threads in (2, 1)]
        others = [f"{found[1]:.1f} ms" if (found := run("lat")) else "–" for run in (torch, runtime)]
        row("lat: 16 tokens, to the vector", f"{lat[0]:.1f} ms", *others, f"{lat[1]:.1f} ms")

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
            command = self.tool("bert-embed", "-m", self.model(shape))
            self.seconds(command, line)
            row(shape, f"{statistics.median(self.seconds(command, line) for _ in range(15)) * 1e3:.0f}")
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
            command = self.tool("bert-embed", "-m", self.model(shape), "--format", "f32")
            row(f"bert-embed {shape}, {lines} lines", f"{self.peak(command, lines, self.sentences):.0f}",
                f"{weights:.0f}")
        command = self.tool("bert-tokenize", "--vocab", SHARED / "data/vocab/bert-base-uncased/vocab.txt")
        for lines in (10_000, 1_000_000):
            row(f"bert-tokenize, {lines:,} lines", f"{self.peak(command, lines, self.sentences):.0f}", "–")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=1024, help="use the first N sentences of real text")
    parser.add_argument("--only", default="network,dtypes,bare,tokenizer,process,start,memory")
    options = parser.parse_args()
    if not PEERS.exists():
        print(f"skipped: {SHARED} is absent, which has the texts and the peers")
        return
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.build, options.rounds, options.sentences, folder)
        for section in options.only.split(","):
            if section == "network":
                for shape in SHAPES:
                    bench.network(shape)
            else:
                getattr(bench, section)()


if __name__ == "__main__":
    main()
