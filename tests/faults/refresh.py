#!/usr/bin/python3
"""Disturbs runs that bring the index of a folder up to date: nothing is lost, and the next run has what a new index has.

usage: refresh.py [--rounds N] [--seed N] [--sparse] DIRECTORY_OF_THE_TOOLS

With --sparse, the index also has weights of words.

In each round, files of a tree appear, change, get other times, or go. Then a run is killed at a random moment, or its files
may not grow beyond a random size (a full disk), or two runs are started at once. Afterwards

* the index can be searched, and the answer is that of before or the new one,
* the next run answers as a new index does, and its records and vectors are the same bytes,
* and leaves no other files in the folder.
"""
import argparse
import json
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import inject

MODEL = inject.MODELS / "bare"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
WITH_WEIGHTS = []  # options
WORDS = "the king and queen of a horse dog sea river snow old new cold".split()


def write(path, rng):
    """Paragraphs that are longer than what the model reads, so that there is much text and little to embed."""
    paragraphs = (" ".join(rng.choices(WORDS, k=rng.randint(3, 900))) for _ in range(rng.randint(0, 60)))
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n\n".join(paragraphs))


def change(tree, rng):
    for _ in range(rng.randint(1, 6)):
        files = sorted(path for path in tree.rglob("*") if path.is_file())
        action = rng.choice(("add", "add", "change", "touch", "remove", "same size"))
        if action == "add" or len(files) < 3:
            write(tree / rng.choice(("", "a", "b c", "z\nz")) / f"{rng.randint(0, 99)}.txt", rng)
        elif action == "change":
            write(rng.choice(files), rng)
        elif action == "touch":
            rng.choice(files).touch()
        elif action == "remove":
            rng.choice(files).unlink()
        else:
            path = rng.choice(files)
            path.write_text(path.read_text().swapcase())


def command(tools, index, more):
    return [str(word) for word in (tools / "bert-search", "-q", "-m", MODEL, "-j", 1, "--query", "the king", "--query",
                                   "snow", "-k", 20, "--index", index, *WITH_WEIGHTS, *more)]


def make_sparse_encoder(folder):
    shutil.copytree(inject.MODELS / "pretraining", folder)
    of = "sentence_transformers.sparse_encoder."
    (folder / "modules.json").write_text(json.dumps([{"path": "", "type": of + "MLMTransformer"},
                                                     {"path": "1_SpladePooling", "type": of + "SpladePooling"}]))
    (folder / "1_SpladePooling").mkdir()
    (folder / "1_SpladePooling" / "config.json").write_text("{}")
    WITH_WEIGHTS.extend(("--hybrid", "--sparse", "--sparse-model", folder))


def files_of(index):
    first = json.loads((index / "index.jsonl").read_text().split("\n")[0])
    return tuple((index / first[name]).read_bytes() for name in ("vectors", "records"))


def run(words, folder, limit=None):
    prepare = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
    return subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=prepare)


def answer(words, folder):
    process = run(words, folder)
    out, err = process.communicate(timeout=120)
    if process.returncode != 0:
        raise RuntimeError(f"{words} ended with {process.returncode}: {err.decode()}")
    return out


def disturb(way, words, folder, seconds, rng):
    """Returns a broken rule, or None."""
    if way == "two":
        both = [run(words, folder), run(words, folder)]
        outs = [process.communicate(timeout=120)[0] for process in both]
        return "two runs at once differ" if outs[0] != outs[1] or any(process.returncode for process in both) else None
    process = run(words, folder, rng.randint(1, 3_000_000) if way == "disk" else None)
    if way == "kill":
        time.sleep(rng.random() * seconds)
        process.send_signal(rng.choice(SIGNALS))
    process.communicate(timeout=120)
    return None


def round_of(tools, folder, way, rng, seen):
    """Returns a broken rule, or None."""
    index, tree = folder / "index", folder / "tree"
    refreshed, only_searched = command(tools, "index", ("--in", "tree")), command(tools, "index", ())
    change(tree, rng)
    old = answer(only_searched, folder) if (index / "index.jsonl").exists() else None
    shutil.rmtree(folder / "fresh", ignore_errors=True)
    begin = time.monotonic()
    new = answer(command(tools, "fresh", ("--in", "tree")), folder)
    broken = disturb(way, refreshed, folder, time.monotonic() - begin, rng)
    if broken:
        return broken
    seen["parts"] += any(index.glob("part-*.jsonl"))
    if old is not None and answer(only_searched, folder) not in (old, new):
        return "the answer is neither the old nor the new one"
    if answer(refreshed, folder) != new:
        return "the answer is not that of a new index"
    if files_of(index) != files_of(folder / "fresh"):
        return "the files are not those of a new index"
    if len(list(index.iterdir())) != 5:
        return f"the folder has {sorted(path.name for path in index.iterdir())}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sparse", action="store_true")
    parser.add_argument("tools", type=Path)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    seen = {"kill": 0, "disk": 0, "two": 0, "parts": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.sparse:
            make_sparse_encoder(folder / "splade")
        (folder / "tree").mkdir()
        for n in range(20):
            write(folder / "tree" / f"{n}.txt", rng)
        for number in range(arguments.rounds):
            if rng.random() < 0.2:
                shutil.rmtree(folder / "index", ignore_errors=True)
            way = rng.choice(("kill", "kill", "disk", "two"))
            seen[way] += 1
            broken = round_of(arguments.tools.resolve(), folder, way, rng, seen)
            if broken:
                sys.exit(f"refresh.py: round {number} of --seed {arguments.seed}, {way}: {broken}")
    print(f"{seen['kill']} kills, {seen['disk']} full disks, {seen['two']} pairs of runs; {seen['parts']} left parts")


if __name__ == "__main__":
    main()
