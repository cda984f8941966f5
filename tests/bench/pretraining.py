#!/usr/bin/python3
"""Measures data preparation for pre-training, from text to masked instances; prints a table (Markdown).

    /usr/bin/python3 tests/bench/pretraining.py BUILD_DIR [--rounds 3] [--google DIR] [--only SECTION,...]

Sections: vocabulary (learned on 90 of 100 novels, evaluated on the other 10), throughput (of the pipeline,
over all of them), google (compared with create_pretraining_data.py), memory (of each step, on 1 GB). Programs
that are compared run in turn, `--rounds` times; medians are reported; memory is measured once. Needs
../shared (novels, vocabulary) beside the project or in $BERT_SHARED, and an otherwise idle machine. DIR, or
$BERT_GOOGLE, is a checkout of github.com/google-research/bert; without it that section is skipped. It runs on
stand_in/tensorflow.py, needs `six`, and uses one core.
"""
import argparse
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import HERE, SHARED, row, table

VOCABULARY = SHARED / "data/vocab/bert-base-uncased/vocab.txt"


def run(command):
    return subprocess.run(["bash", "-o", "pipefail", "-c", command], check=True, capture_output=True, text=True)


def seconds(command):
    start = time.perf_counter()
    run(command)
    return time.perf_counter() - start


def sentences(text):
    """Google's format: one sentence per line. The splitting is simple, because both sides read the same
    lines."""
    lines = []
    for paragraph in re.split(r"\n\s*\n", text.replace("\r", "")):
        lines += re.split(r"(?<=[.!?])\s+(?=[\"'A-Z])", " ".join(paragraph.split()))
    return "".join(line + "\n" for line in lines if line)


class Bench:
    def __init__(self, options, folder):
        self.rounds, self.google_checkout = options.rounds, options.google
        self.tools = Path(options.build).resolve() / "cmd"
        self.folder = Path(folder)
        subprocess.run(["tar", "xJf", SHARED / "data/corpus/english_novels.tar.xz", "-C", folder], check=True)
        self.novels = sorted((self.folder / "english_novels").glob("*.txt"))

    def tool(self, name, *arguments, report=None):
        """The command as shell text; with `report` its peak memory in KiB is written to that file."""
        timed = ["/usr/bin/time", "-f", "%M", "-o", report] if report else []
        return shlex.join(map(str, [*timed, self.tools / name, *arguments]))

    def pipe(self, input_format, texts, vocabulary=VOCABULARY, folder=None):
        def report(name):
            return folder / name if folder else None

        return " | ".join([
            self.tool("bert-tokenize", "--vocab", vocabulary, "--input-format", input_format, "--sentences", *texts,
                      report=report("bert-tokenize")),
            self.tool("bert-nsp-pairs", "--vocab", vocabulary, report=report("bert-nsp-pairs")),
            self.tool("bert-mask", "--vocab", vocabulary, report=report("bert-mask"))])

    def turns(self, *commands):
        """Runs the commands in turn; returns the median seconds of each."""
        times = [[seconds(command) for command in commands] for _ in range(self.rounds)]
        return [statistics.median(column) for column in zip(*times)]

    # ---- sections -------------------------------------------------------------------------------------------------

    def vocabulary(self):
        held_out = self.novels[9::10]
        learned_on = [novel for novel in self.novels if novel not in held_out]
        report, learned = self.folder / "report", self.folder / "vocab.txt"

        def learn(threads):
            return self.tool("bert-vocab", "-j", threads, "--input-format", "file", "--force", "-o", learned, *learned_on,
                             report=report)

        def measured(vocabulary):
            out = run(self.tool("bert-tokenize", "--vocab", vocabulary, "--uncased", "--stats", "--input-format",
                                "file", *held_out)).stdout
            tokens, unknown = map(int, re.search(r'"tokens":(\d+),"unknown":(\d+)', out).groups())
            return f"{tokens:,}", f"{unknown} ({unknown / tokens:.1e})"

        table("vocabulary of 30,522, uncased", "learned", "bert-base-uncased")
        one, two = self.turns(learn(1), learn(2))
        row("learned on 90 novels, two threads (one)", f"{two:.1f} s ({one:.1f} s)", "–")
        row("peak memory", f"{int(report.read_text()) / 1024:.0f} MiB", "–")
        ours, theirs = measured(learned), measured(VOCABULARY)
        row("tokens of 10 other novels", ours[0], theirs[0])
        row("unknown", ours[1], theirs[1])

    def throughput(self):
        megabytes = sum(novel.stat().st_size for novel in self.novels) / 1e6
        command = self.pipe("file", self.novels)
        two, one = self.turns(f"{command} >/dev/null", f"taskset -c 0 sh -c {shlex.quote(command)} >/dev/null")
        table("tokenize, nsp-pairs, mask in a pipe", "two cores", "one core")
        row(f"{len(self.novels)} novels, {megabytes:.0f} MB of text", f"{megabytes / two:.1f} MB/s",
            f"{megabytes / one:.1f} MB/s")

    def google(self):
        if not self.google_checkout:
            print("\nskipped: google (neither --google nor $BERT_GOOGLE)")
            return
        part, whole, written = self.folder / "part.txt", self.folder / "whole.txt", self.folder / "written"
        texts = [sentences(novel.read_text(encoding="utf-8-sig", errors="replace")) for novel in self.novels]
        whole.write_text("\n".join(texts), encoding="utf-8")
        part.write_text("\n".join(text[:20000].rpartition("\n")[0] + "\n" for text in texts), encoding="utf-8")
        theirs = shlex.join(["env", f"PYTHONPATH={HERE / 'stand_in'}", "/usr/bin/python3", *map(str, [
            Path(self.google_checkout) / "create_pretraining_data.py", f"--input_file={part}",
            f"--output_file={written}", f"--vocab_file={VOCABULARY}", "--dupe_factor=1", "--max_seq_length=128"])])
        ours = f"{self.pipe('documents', [part])} >{self.folder / 'train.jsonl'}"
        one = f"taskset -c 0 sh -c {shlex.quote(ours)}"
        long = f"{self.pipe('documents', [whole])} >/dev/null"
        times = self.turns(theirs, ours, one, long)
        sizes = [path.stat().st_size / 1e6 for path in (part, part, part, whole)]
        rates = [size / took for size, took in zip(sizes, times)]
        counts = [int(written.read_text()), int(run(f"wc -l <{self.folder / 'train.jsonl'}").stdout), None, None]
        table("a sentence a line, 100 documents", "MB/s of text", "times Google's", "instances")
        names = ["create_pretraining_data.py", "ours, two cores", "ours, one core", "ours, two cores"]
        for name, size, rate, count in zip(names, sizes, rates, counts):
            row(f"{name}, {size:.1f} MB", f"{rate:.2f}", f"{rate / rates[0]:.0f}", f"{count:,}" if count else "–")

    def memory(self):
        texts = []
        for turn in range(13):
            for novel in self.novels:
                texts.append(self.folder / f"{turn:02}-{novel.name}")
                texts[-1].symlink_to(novel)
        size = sum(text.stat().st_size for text in texts) / 1e6
        reports = self.folder / "reports"
        reports.mkdir()
        run(f"{self.pipe('file', texts, folder=reports)} >/dev/null")
        run(self.tool("bert-vocab", "--input-format", "file", *texts, report=reports / "bert-vocab") + " >/dev/null")
        table(f"peak memory, {size:.0f} MB in {len(texts)} texts", "MiB")
        for report in sorted(reports.iterdir()):
            row(report.name, f"{int(report.read_text()) / 1024:.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--google", default=os.environ.get("BERT_GOOGLE"), metavar="DIR")
    parser.add_argument("--only", default="vocabulary,throughput,google,memory")
    options = parser.parse_args()
    if not SHARED.exists():
        print(f"skipped: {SHARED} is absent, which has the texts")
        return
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for section in options.only.split(","):
            getattr(bench, section)()


if __name__ == "__main__":
    sys.exit(main())
