#!/usr/bin/python3
"""Kills runs at random moments, and lets their disks fill up: nothing that was whole before is lost.

usage: kills.py [--kills N] [--disks N] [--seed N] DIRECTORY_OF_THE_TOOLS

Each run replaces an older output, or continues a training run. It is killed by SIGKILL or another signal, or its output
and its stdout are on an in-memory file system that is too small (root; other users get a limit of file sizes). Then:

* The output is the old one or the complete new one, and files of others in its directory are there.
* Except after SIGKILL, no unfinished file is beside it.
* A training run has no fewer steps than before, and no fewer than its log says, except after SIGKILL.
* The same command, with room and without signals, ends with the output of an undisturbed run.
"""
import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, namedtuple
from pathlib import Path

import inject

MODELS = inject.MODELS
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU, signal.SIGPIPE)
# `output`: a file or directory of the folder. `trains`: is continued after a kill, instead of started from the old output.
Job = namedtuple("Job", "name command output trains", defaults=(False,))
LEARN = ["bert-train", "--task", "classify", "-m", MODELS / "bare", "--batch-size", 2, "-j", 1, "--log-every", 1]
JOBS = (
    Job("embed", ["bert-embed", "-m", MODELS / "bare", "-j", 2, "-o", "out", "many.txt"], "out"),
    Job("embed-npy", ["bert-embed", "-m", MODELS / "bare", "--format", "npy", "-o", "out", "many.txt"], "out"),
    Job("search", ["bert-search", "--index", "many.jsonl", "-j", 1, "-o", "out", "many.jsonl"], "out"),
    Job("convert", ["bert-convert", MODELS / "sentence-new", "--force", "-o", "dir"], "dir"),
    Job("vocab", ["bert-vocab", "--size", 300, "--min-frequency", 1, "--force", "-o", "subwords/", "many.txt"], "subwords"),
    Job("train-force", [*LEARN, "--steps", 9, "--force", "-o", "dir", "labels.jsonl"], "dir"),
    Job("train", [*LEARN, "--steps", 600, "--save-every", 50, "--dev", "labels.jsonl", "--eval-every", 40, "--best", "loss",
                  "--resume", "-o", "run", "labels.jsonl"], "run", True),
)


def fill(folder):
    """Inputs, and the older outputs."""
    inject.fill(folder)
    (folder / "many.txt").write_text("".join(f"the king and queen {n % 97}\n" for n in range(4000)))
    (folder / "many.jsonl").write_text("".join(f'{{"id":{n},"embedding":[{n % 31},{n % 37 - 9},{n % 7}]}}\n' for n in range(1500)))
    shutil.copytree(MODELS / "classify", folder / "dir")
    for path in (folder / "dir", *(folder / "dir").iterdir()):
        path.chmod(0o755)
    (folder / "dir/README.md").write_text("mine\n")
    shutil.copytree(folder / "dir", folder / "subwords", ignore=shutil.ignore_patterns("*.safetensors"))


def output_of(job, folder):
    """{relative path: bytes} of the complete output; nothing of checkpoints, which are checked otherwise."""
    path = folder / job.output
    if path.is_file():
        return {"": path.read_bytes()}
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*"))
            if file.is_file() and "checkpoints" not in file.parts and not inject.is_unfinished(str(file.relative_to(folder)))}


def last_step(folder):
    return max((int(path.name[5:]) for path in (folder / "run/checkpoints").glob("step-*")), default=0)


def logged_step(folder):
    lines = (folder / "log").read_bytes().split(b"\n")[:-1] if (folder / "log").exists() else []
    return max((int(line.split(b":")[1].split(b",")[0]) for line in lines), default=0)


def run(tools, job, folder, moment=None, number=None, limit=None):
    """Exit status, negative for a signal; seconds."""
    command = [str(word) for word in (tools / job.command[0], *job.command[1:])]
    prepare = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
    begin = time.monotonic()
    with open(folder / "log", "wb") as log, open(folder.parent / "said", "wb") as said:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=said, preexec_fn=prepare)
        if moment is not None:
            time.sleep(moment)
            process.send_signal(number)
        return process.wait(timeout=120), time.monotonic() - begin


def unfinished(folder):
    return {str(path) for path in folder.rglob("*") if inject.is_unfinished(str(path.relative_to(folder)))}


def wrong_of(job, folder, old, new, status, before, older):
    """The broken rule, or None. `older`: unfinished files of an earlier SIGKILL, which a run may be too short to remove."""
    found = output_of(job, folder)
    if found not in (old, new) and not (job.trains and not old and found.keys() == new.keys()):
        return f"the output has {sorted(found)}, neither old nor new"
    if status != -signal.SIGKILL:
        left = unfinished(folder) - older
        if left:
            return f"left {sorted(left)}"
    if job.trains:
        step = last_step(folder)
        if step < before or status != -signal.SIGKILL and step < logged_step(folder) and status < 0:
            return f"has step {step}, after {before}, logged {logged_step(folder)}"
    return None


def disturb(tools, job, whole, rng, folder, disk):
    """Disturbs a job, a training run twice, and repeats it; returns the last exit status and a broken rule, or None."""
    new, seconds = whole
    small = folder / "disk"
    small.mkdir()
    if disk and os.geteuid() == 0:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1g", "tmpfs", str(small)], check=True)
    try:
        fill(small)
        old = output_of(job, small)
        if job.trains and not disk:
            run(tools, job, small, rng.random() * seconds, signal.SIGKILL)
        before, older = last_step(small), unfinished(small)
        limit = None
        if disk and os.geteuid() == 0:
            used = sum(path.stat().st_size // 4096 + 1 for path in small.rglob("*")) * 4096
            size = used + rng.randrange(1, 120) * 4096
            subprocess.run(["mount", "-o", f"remount,size={size}", str(small)], check=True)
        elif disk:
            limit = rng.randrange(1000, 200000)
        moment = None if disk else rng.random() * seconds
        status, _ = run(tools, job, small, moment, rng.choice(SIGNALS), limit)
        if disk and os.geteuid() == 0:
            subprocess.run(["mount", "-o", "remount,size=1g", str(small)], check=True)
        if disk and status not in (0, 1):
            return status, f"a full disk ends it with {status}"
        wrong = wrong_of(job, small, old, new, status, before, older)
        if wrong is None:
            last, _ = run(tools, job, small)
            if last != 0:
                wrong = f"cannot be repeated: {(folder / 'said').read_text()}"
            elif output_of(job, small) != new:
                wrong = "repeated, it has another output"
        return status, wrong
    finally:
        if disk and os.geteuid() == 0:
            subprocess.run(["umount", str(small)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--disks", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("tools", type=Path)
    options = parser.parse_args()
    tools, rng = options.tools.resolve(), random.Random(options.seed)
    whole = {}
    for job in JOBS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "work"
            folder.mkdir()
            fill(folder)
            status, seconds = run(tools, job, folder)
            assert status == 0, (job.name, (Path(name) / "said").read_text())
            whole[job.name] = output_of(job, folder), seconds
    endings, broken = Counter(), 0
    for number in range(options.kills + options.disks):
        job, disk = JOBS[number % len(JOBS)], number >= options.kills
        with tempfile.TemporaryDirectory() as name:
            status, wrong = disturb(tools, job, whole[job.name], rng, Path(name), disk)
        endings["full" if disk and status else "killed" if status else "came to its end"] += 1
        if wrong:
            broken += 1
            print(f"{job.name}, {'full disk' if disk else 'kill'} {number}, status {status}: {wrong}", flush=True)
    print(", ".join(f"{count} {ending}" for ending, count in sorted(endings.items())) + f"; {broken} broke a rule")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
