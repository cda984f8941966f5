#!/usr/bin/python3
"""Runs all tools with limited memory, threads, descriptors, disk space, streams, or time before a signal.

usage: limits.py [--rounds N] [--seed N] [--only SCENARIO] DIRECTORY_OF_THE_TOOLS

Scenarios and rules are those of inject.py. Each scenario runs with N limits of each kind (default: 4), chosen
at random between far too little and enough:

  memory   address space, at least what --version needs
  threads  number of processes of a separate user (root only), with -j 64
  files    number of descriptors
  size     file size in bytes
  disk     size of an in-memory file system (root only)
  streams  closed standard streams
  signal   one of SIGNALS after a random time; it may end the run
"""
import argparse
import collections
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import inject

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU, signal.SIGPIPE)
USER = 61234  # not used by anyone else
MEBIBYTE = 1 << 20


class Run(inject.Run):
    """A run in `folder` with `prepare` called before the tool; `interrupt` gets the process."""

    def __init__(self, tools, scenario, folder, prepare=None, interrupt=None, more=()):
        # Unlike inject.Run, because the process must be accessible while it runs.
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        process = subprocess.Popen([str(tools / scenario.tool), *scenario.arguments, *more], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=prepare)
        if interrupt:
            interrupt(process)
        try:
            self.out, err = process.communicate(timeout=inject.TIMEOUT_S)
            self.status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            self.out, err = process.communicate()
            self.status = None
        self.err = err.decode(errors="replace")
        self.files = inject.files_of(folder)


def limited(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def least_memory(tools, tool):
    """The MiB of address space that the tool needs to print its version."""
    for mebibytes in range(16, 4096, 4):
        run = subprocess.run([str(tools / tool), "--version"], capture_output=True, check=False,
                             preexec_fn=limited(resource.RLIMIT_AS, mebibytes * MEBIBYTE))
        if run.returncode == 0:
            return mebibytes
    raise RuntimeError(f"{tool} --version needs 4 GiB")


def close(streams):
    for stream in streams:
        os.close(stream)


def with_few_threads(scenario):
    """The scenario with -j 64 instead of its own -j."""
    arguments = list(scenario.arguments)
    if "-j" in arguments:
        arguments[arguments.index("-j") + 1] = "64"
    return scenario._replace(arguments=arguments)


def become_user(folder, processes):
    def prepare():
        resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
        os.setgid(USER)
        os.setuid(USER)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, USER, USER)
    return prepare


def fill_disk(folder, size):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)


Trial = collections.namedtuple("Trial", "kind value")


def trials(rng, rounds, least, seconds):
    """Random limits for one scenario; `seconds` is its normal run time."""
    for _ in range(rounds):
        yield Trial("memory", least + int(least * rng.random() ** 3 * 4))
        yield Trial("files", rng.randrange(3, 24))
        yield Trial("size", int(20000 * rng.random() ** 4))
        yield Trial("streams", tuple(stream for stream in range(3) if rng.random() < 0.5) or (1,))
        yield Trial("signal", (rng.choice(SIGNALS), rng.random() * seconds * 1.1))
        if os.geteuid() == 0:
            yield Trial("threads", rng.randrange(1, 65))
            yield Trial("disk", 4096 * rng.randrange(16, 100))


def wrong_of(tools, scenario, trial, whole, folder):
    """(the broken rule or None, the run)"""
    prepare = interrupt = None
    if trial.kind == "memory":
        prepare = limited(resource.RLIMIT_AS, trial.value * MEBIBYTE)
    elif trial.kind == "files":
        prepare = limited(resource.RLIMIT_NOFILE, trial.value)
    elif trial.kind == "size":
        prepare = limited(resource.RLIMIT_FSIZE, trial.value)
    elif trial.kind == "streams":
        prepare = lambda: close(trial.value)
    elif trial.kind == "threads":
        scenario = with_few_threads(scenario)
        prepare = become_user(folder, trial.value)
    elif trial.kind == "signal":
        def interrupt(process):
            time.sleep(trial.value[1])
            process.send_signal(trial.value[0])
    run = Run(tools, scenario, folder, prepare, interrupt)
    if trial.kind == "disk":
        subprocess.run(["mount", "-o", "remount,size=1g", str(folder)], check=True)  # for the resumed run
    if trial.kind == "signal" and run.status in (-trial.value[0], 128 + trial.value[0]):
        run.status, run.err = 1, run.err + f"{scenario.tool}: stopped"
    if trial.kind == "streams" and 2 in trial.value or "error while loading shared libraries" in run.err:
        run.err = f"{scenario.tool}: said to nobody"
    if trial.kind == "streams" and 1 in trial.value and run.status == 0:
        run.out = whole.out if "out" in scenario.arguments or scenario.resumes or not whole.out else run.out
    return inject.verdict(tools, scenario, "", run, whole, folder, trial.kind in ("files", "memory")), run


def try_limit(tools, scenario, trial, whole):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "work"
        folder.mkdir()
        os.chmod(name, 0o755)
        if trial.kind == "disk":
            fill_disk(folder, trial.value)
        try:
            inject.fill(folder)
            return wrong_of(tools, scenario, trial, whole, folder)
        finally:
            if trial.kind == "disk":
                subprocess.run(["umount", str(folder)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("tools", type=Path)
    options = parser.parse_args()
    tools = options.tools.resolve()
    rng = random.Random(options.seed)
    least = {}
    tried, broken, answers = 0, 0, collections.Counter()
    for scenario in inject.scenarios():
        if options.only not in (None, scenario.name):
            continue
        if scenario.tool not in least:
            least[scenario.tool] = least_memory(tools, scenario.tool)
        begin = time.monotonic()
        whole = inject.undisturbed(tools, scenario)
        seconds = time.monotonic() - begin
        for trial in trials(rng, options.rounds, least[scenario.tool], seconds):
            tried += 1
            wrong, run = try_limit(tools, scenario, trial, whole)
            answers[trial.kind, "answers" if run.status == 0 else "refusals"] += 1
            if wrong:
                broken += 1
                print(f"{scenario.name}: {trial.kind} {trial.value}: {wrong}\n    stderr: {run.err.strip()!r}", flush=True)
    print(", ".join(f"{kind} {count} {what}" for (kind, what), count in sorted(answers.items())))
    print(f"{tried} runs with limits, {broken} broke a rule")
    return 1 if broken or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
