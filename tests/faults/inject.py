#!/usr/bin/python3
"""Makes each system call of short runs of all tools fail with each of its errors, and checks the outcome.

usage: inject.py [--most N] [--only SCENARIO] DIRECTORY_OF_THE_TOOLS

Each scenario is one command. It first runs normally under strace, which counts its calls. Then it runs again
for each call and each error, with strace making the call fail (in every thread that makes as many calls):
once, and for lasting errors also from then on. The rules for a run with a fault:

* It ends within 20 seconds, and not by a signal.
* If the exit status is 0, stdout and all files equal those of the normal run.
* Otherwise the last line of stderr begins with the tool's name (unless the write of that line failed).
* The output is the complete new one, the old one, or missing; no unfinished file remains beside it.
* A training run that is resumed ends with the model and the last checkpoint of the normal run. The failed run may have
  left a checkpoint of its last step, which takes the place of an older one.

oneDNN does not check the memory in which it generates code. If the allocation fails, 2.x crashes, and 3.x crashes, hangs
or falls back to other code, which rounds differently. The tools allocate the same amount just before oneDNN does; such a
run is accepted only if the first failed call was made by oneDNN itself.

--most N tries at most N faults, spread evenly over all. Exit status 0 if all rules hold, 1 if one is broken,
77 (skipped) without strace.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent / "golden/models"
TRAINING = HERE.parent / "golden/training"
CHECKPOINTS = HERE.parent / "golden/checkpoints"
FAULTS = {  # the errors with which each call is made to fail
    "openat": "EMFILE EACCES EIO", "read": "EIO EINTR", "pread64": "EIO EINTR", "write": "ENOSPC EIO EINTR",
    "pwrite64": "ENOSPC EIO EINTR", "close": "EIO EINTR", "newfstatat": "EIO EACCES", "statx": "EIO", "access": "EIO EACCES",
    "readlink": "EIO", "getdents64": "EIO", "mmap": "ENOMEM EACCES", "munmap": "ENOMEM", "mprotect": "ENOMEM EACCES",
    "madvise": "EINVAL", "rename": "EIO EACCES", "renameat2": "EIO EINVAL", "unlink": "EIO EACCES", "unlinkat": "EIO",
    "rmdir": "EIO", "mkdir": "ENOSPC EACCES", "fsync": "EIO EINTR", "flock": "EIO EINTR", "fchmod": "EIO EPERM",
    "fcntl": "EINVAL", "ftruncate": "EIO ENOSPC", "lseek": "EINVAL", "getrandom": "EIO EINTR", "dup": "EMFILE",
    "clone3": "EAGAIN ENOMEM", "pipe2": "EMFILE", "eventfd2": "EMFILE ENOMEM", "poll": "EINVAL EINTR",
    "prlimit64": "EPERM", "sched_getaffinity": "EINVAL", "sysinfo": "EFAULT", "rt_sigaction": "EINVAL",
}
LASTING = {"EMFILE", "ENOSPC", "ENOMEM", "EACCES", "EAGAIN", "EIO"}
# Files may remain after a failure of REMOVING calls, and after lasting failures of FINDING calls, which hide
# all files.
REMOVING = {"unlink", "unlinkat", "rmdir", "getdents64"}
FINDING = {"openat", "newfstatat", "statx"}
FIRST_CALL = "fcntl(0, F_GETFD)"  # the tool's own first call, after those of the dynamic loader
TIMED = {"state.json"}  # contains times
TIMEOUT_S = 20
ENDINGS_IN_ONEDNN = (None, 0, -signal.SIGSEGV, 128 + signal.SIGSEGV, -signal.SIGABRT, 128 + signal.SIGABRT)

Scenario = collections.namedtuple("Scenario", "name tool arguments resumes")


def scenarios():
    vocab = MODELS / "pretraining/vocab.txt"
    make = lambda name, tool, arguments, resumes=False: Scenario(name, tool, [str(a) for a in arguments], resumes)
    for number, arguments in enumerate((["-j", 2, "in.txt"], ["--format", "tokens", "-j", 1, "in.txt"], ["--stats", "in.txt"],
                                        ["--max-length", 9, "--overlap", 1, "--overflow", "split", "pairs.tsv"])):
        yield make(f"tokenize-{number}", "bert-tokenize", ["--vocab", vocab, "-o", "out", *arguments])
    yield make("tokenize-model", "bert-tokenize", ["-m", MODELS / "sentence-old", "in.txt"])
    yield make("embed", "bert-embed", ["-m", MODELS / "sentence-old", "-j", 2, "in.txt"])
    yield make("embed-npy", "bert-embed", ["-m", MODELS / "bare", "-j", 1, "--format", "npy", "-o", "out", "in.txt"])
    yield make("embed-layers", "bert-embed", ["-m", MODELS / "bare", "--layers", "0,-1", "--format", "tsv", "in.txt"])
    yield make("embed-tensorflow", "bert-embed", ["-m", CHECKPOINTS / "tensorflow", "-j", 1, "-o", "out", "in.txt"])
    yield make("embed-pytorch", "bert-embed", ["-m", CHECKPOINTS / "zip", "-j", 1, "-o", "out", "in.txt"])
    for model, file in (("classify", "in.txt"), ("tag", "in.txt"), ("masked-lm", "in.txt"), ("answer", "questions.jsonl"),
                        ("choose", "choices.jsonl"), ("rank", "pairs.tsv"), ("next", "pairs.tsv")):
        yield make(f"predict-{model}", "bert-predict", ["-m", MODELS / model, "-j", 1, "-o", "out", file])
    yield make("search", "bert-search", ["-j", 2, "--index", "points.jsonl", "--records", "points.jsonl", "-o", "out",
                                         "points.jsonl"])
    yield make("search-texts", "bert-search", ["-m", MODELS / "sentence-old", "-j", 1, "--pairs", 0.1, "in.txt"])
    yield make("search-dedup", "bert-search", ["-j", 1, "--dedup", 0.9, "-o", "out", "points.jsonl"])
    yield make("search-cluster", "bert-search", ["-j", 2, "--cluster", 2, "-o", "out", "points.jsonl"])
    yield make("score", "bert-score", ["--metric", "glue/stsb", "-o", "out", "numbers.jsonl"])
    yield make("score-gold", "bert-score", ["--task", "regress", "--gold", "gold.jsonl", "-o", "out", "numbers.jsonl"])
    yield make("vocab", "bert-vocab", ["--size", 60, "--min-frequency", 1, "-o", "dir/", "in.txt"])
    yield make("vocab-counts", "bert-vocab", ["--size", 0, "--counts", "out", "--force", "in.txt"])
    yield make("pairs", "bert-nsp-pairs", ["--vocab", vocab, "--mode", "none", "--max-length", 16, "-o", "out",
                                           "sentences.jsonl"])
    yield make("pairs-next", "bert-nsp-pairs", ["-m", MODELS / "pretraining", "--max-length", 16, "-j", 2, "sentences.jsonl"])
    yield make("mask", "bert-mask", ["--vocab", vocab, "-o", "out", "ids.jsonl"])
    yield make("mask-words", "bert-mask", ["-m", MODELS / "pretraining", "--whole-word", "-j", 2, "ids.jsonl"])
    yield make("convert", "bert-convert", [MODELS / "sharded", "--out", "dir"])
    yield make("convert-f16", "bert-convert", [CHECKPOINTS / "stream", "--store", "f16", "--out", "dir"])
    yield make("convert-modules", "bert-convert", [MODELS / "sentence-new", "--out", "dir"])
    yield make("convert-info", "bert-convert", ["--info", CHECKPOINTS / "shards"])
    yield make("train", "bert-train", ["--task", "pretrain", "-m", TRAINING / "narrow", "--batch-size", 6, "--steps", 4,
                                       "--save-every", 1, "--keep", 2, "-j", 1, "--out", "run", "-q",
                                       TRAINING / "records.jsonl"], True)
    yield make("train-classify", "bert-train", ["--task", "classify", "-m", MODELS / "bare", "--batch-size", 2, "--steps", 4,
                                                "--save-every", 2, "--eval-every", 2, "--dev", "labels.jsonl", "-j", 1,
                                                "--out", "run", "-q", "labels.jsonl"], True)
    yield make("train-tag", "bert-train", ["--task", "tag", "-m", MODELS / "bare", "--batch-size", 2, "--steps", 3, "-j", 2,
                                           "--save-every", 1, "--out", "run", "-q", "words.jsonl"], True)


def fill(folder):
    """Writes the inputs, and an older output to be replaced."""
    (folder / "in.txt").write_text("the king and the queen\nold\n\nthe old king said\n")
    (folder / "numbers.jsonl").write_text('{"id":0,"label":1,"prediction":2}\n{"id":1,"label":3,"prediction":3.5}\n')
    (folder / "sentences.jsonl").write_text('{"sentences":[[5,6,7],[8,9],[10,11,12]]}\n' * 3)
    (folder / "ids.jsonl").write_text('{"input_ids":[2,20,21,22,23,3]}\n' * 3)
    (folder / "gold.jsonl").write_text('{"id":0,"label":1}\n{"id":1,"label":3}\n')
    (folder / "pairs.tsv").write_text("text\ttext_pair\nthe king\tthe old queen\nold\tthe king said\n")
    (folder / "questions.jsonl").write_text('{"id":"a","question":"the king","context":"the old king and the queen"}\n')
    (folder / "choices.jsonl").write_text('{"text":"the king","choices":["old","said the queen"]}\n')
    (folder / "points.jsonl").write_text("".join(f'{{"id":{i},"embedding":[{i % 3},{i % 4 - 1},1]}}\n' for i in range(9)))
    (folder / "labels.jsonl").write_text('{"text":"the king","label":"a"}\n{"text":"the queen","label":"b"}\n' * 3)
    (folder / "words.jsonl").write_text('{"words":["the","king"],"tags":["O","B-PER"]}\n' * 4)
    (folder / "out").write_text("old\n")


def without_times(text):
    return re.sub(rb'"(elapsed_s|seconds|tokens_per_second)":[^,}]*', b"", text)


def files_of(folder):
    """Everything below the folder by relative path: a file's bytes, None for directories and TIMED files."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() and path.name not in TIMED else None
            for path in sorted(folder.rglob("*"))}


def is_unfinished(name):
    return re.search(r"(^|/)\.[^/]*\.[0-9a-f]{16}(\.tmp)?(/|$)", name) is not None


class Run:
    def __init__(self, tools, scenario, folder, strace=(), more=()):
        command = [*strace, str(tools / scenario.tool), *scenario.arguments, *more]
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        try:
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                  env=environment, timeout=TIMEOUT_S)
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            self.status, self.out, self.err = None, b"", ""
        self.files = files_of(folder)


def calls_of(tools, scenario):
    """{call: range of its numbers, from the tool's first call to the last one of the thread that makes
    most}"""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "work").mkdir()
        fill(folder / "work")
        trace = folder / "trace"
        run = Run(tools, scenario, folder / "work",
                  ["strace", "-f", "-qq", "-o", str(trace), "-e", "trace=" + ",".join(FAULTS), "-e", "signal=none"])
        assert run.status == 0, (scenario.name, run.err)
        calls = trace.read_text(errors="replace")
    find = re.compile(r"^(\d+) +(\w+)\(", re.M)
    before = collections.Counter(call for _, call in find.findall(calls[:calls.index(FIRST_CALL)]))
    most = {}
    for (_, call), count in collections.Counter(find.findall(calls)).items():
        most[call] = max(most.get(call, 0), count)
    return {call: range(before[call] + 1, count + 1) for call, count in most.items()}


def lasting(files):
    """Without the checkpoints before the last one, and without model.json, which has the sums of the model before too."""
    steps = {name: re.search(r"/checkpoints/step-(\d+)(?:/|$)", name) for name in files}
    last = max((int(step[1]) for step in steps.values() if step), default=0)
    return {name: text for name, text in files.items()
            if not name.endswith("/checkpoints/model.json") and (not steps[name] or int(steps[name][1]) == last)}


def verdict(tools, scenario, call, run, whole, folder, lasts):
    """The rule that is broken, or None."""
    may_leave = call in REMOVING or lasts and call in FINDING
    if run.status is None:
        return "hangs"
    if run.status < 0 or 128 < run.status < 160:
        return f"ends by signal {-run.status if run.status < 0 else run.status - 128}"
    if run.status == 0:
        if without_times(run.out) != without_times(whole.out):
            return "exit status 0, but another stdout"
        if run.files != whole.files and not (may_leave and whole.files.items() <= run.files.items()):
            return "exit status 0, but other files"
        return None
    lines = run.err.splitlines()
    if not lines and call == "write":
        return None
    if not lines or not lines[-1].startswith(scenario.tool + ": "):
        return f"exit status {run.status}, and stderr is {run.err!r}"
    if re.search(r"filesystem error|std::|terminate called|basic_string|: (Resource|Cannot allocate)[^:]*$", lines[-1]) \
            and lines[-1].count(":") < 2:
        return f"an unclear message: {lines[-1]!r}"
    if ".tmp/" in lines[-1]:
        return f"a message that names what is not there any more: {lines[-1]!r}"
    if any(map(is_unfinished, run.files)) and not may_leave and not scenario.resumes:
        return "leaves " + ", ".join(filter(is_unfinished, run.files))
    if run.files.get("out") not in (b"old\n", whole.files.get("out"), None):
        return "leaves another output"
    if not scenario.resumes:
        made = {name: text for name, text in run.files.items() if name.startswith("dir/") and not is_unfinished(name)}
        expected = {name: text for name, text in whole.files.items() if name.startswith("dir/")}
        return None if made in ({}, expected) else f"leaves a part of the output: {sorted(made)}"
    again = Run(tools, scenario, folder, more=["--resume"])
    if again.status != 0:
        return f"cannot be resumed: {again.err!r}"
    found, expected = lasting(again.files), lasting(whole.files)
    if found != expected:
        return "resumed, it comes to other files: " + ", ".join(
            sorted({name for name, _ in found.items() ^ expected.items()}))
    return None


def is_call_of_onednn(trace):
    """Whether the first call that failed was made by oneDNN."""
    first = re.search(r"\(INJECTED\)((\n > .*)*)", trace.read_text(errors="replace"))
    return first is not None and "/libdnnl.so" in first[1]


def try_fault(tools, scenario, call, error, when, whole):
    # A process whose strace has ended may still be ending itself, and writing.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder, trace = Path(name) / "work", Path(name) / "trace"
        folder.mkdir()
        fill(folder)
        fault = f"inject={call}:error={error}:when={when}"
        is_code = call in ("mmap", "mprotect")
        run = Run(tools, scenario, folder,
                  ["strace", "-f", "-qq", *(["-k"] if is_code else []), "-o", str(trace), "-e", f"trace={call}", "-e", fault])
        if is_code and run.status in ENDINGS_IN_ONEDNN and is_call_of_onednn(trace):
            return None, run
        return verdict(tools, scenario, call, run, whole, folder, str(when).endswith("+")), run


def undisturbed(tools, scenario):
    with tempfile.TemporaryDirectory() as name:
        fill(Path(name))
        return Run(tools, scenario, Path(name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--most", type=int)
    parser.add_argument("--only")
    parser.add_argument("tools", type=Path)
    options = parser.parse_args()
    if shutil.which("strace") is None:
        print("skipped: strace is absent")
        return 77
    tools = options.tools.resolve()
    chosen = [scenario for scenario in scenarios() if options.only in (None, scenario.name)]
    wholes = {scenario.name: undisturbed(tools, scenario) for scenario in chosen}
    faults = [(scenario, call, error, when) for scenario in chosen
              for call, numbers in sorted(calls_of(tools, scenario).items())
              for error in FAULTS[call].split() for number in numbers
              for when in ([number, f"{number}+"] if error in LASTING else [number])]
    step = max(1, len(faults) / options.most) if options.most else 1
    tried = [faults[int(i * step)] for i in range(int(len(faults) / step))]
    broken = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (scenario, call, error, when), (wrong, run) in zip(
                tried, pool.map(lambda fault: try_fault(tools, *fault, wholes[fault[0].name]), tried)):
            if wrong:
                broken += 1
                print(f"{scenario.name}: {call} {error} when={when}: {wrong}\n    stderr: {run.err.strip()!r}", flush=True)
    print(f"{len(tried)} of {len(faults)} faults tried, {broken} broke a rule")
    return 1 if broken or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
