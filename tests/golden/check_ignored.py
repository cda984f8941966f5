#!/usr/bin/env python3
"""Compares the files that a tool finds in a folder with those that git does not ignore, in generated trees.

Usage: check_ignored.py TOOLS_DIRECTORY [TREES]
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

MODEL = pathlib.Path(__file__).parent / "models" / "bare"
NAMES = ["a", "b", "ab", "a.log", "b.log", "a b", "#a", "!b", "a]", "[a]", "a*", "build", "doc", "x.md", "y.md", "~", "ä"]
PATTERNS = ["a", "b", "*.log", "*", "?", "a*", "*b", "[ab]", "[!a]", "[a-b]*", "**", "build", "doc", "*.md", "x.*", "a b",
            "\\#a", "\\!b", "a\\*", "[[:alpha:]]", "[]a]*", "\\[a\\]", "a]", "~", "ä", "??", "[^b]?", "*[!a]"]


def pattern(draw):
    names = [draw.choice(PATTERNS) for _ in range(draw.choice([1, 1, 1, 2, 2, 3]))]
    text = "/".join(names)
    text = draw.choice(["", "", "", "/", "**/"]) + text + draw.choice(["", "", "", "/", "/**", "/*"])
    return draw.choice(["", "", "", "!"]) + text + draw.choice(["", "", " ", "\\ "])


def ignore_file(draw, folder):
    lines = [draw.choice([pattern(draw)] * 6 + ["", "# comment", " "]) for _ in range(draw.randrange(1, 6))]
    end = draw.choice(["\n", "\n", "\r\n"])
    (folder / ".gitignore").write_bytes((end.join(lines) + draw.choice(["", end])).encode())


def fill(draw, folder, depth):
    folder.mkdir(exist_ok=True)
    if draw.random() < 0.4:
        ignore_file(draw, folder)
    for name in draw.sample(NAMES, draw.randrange(2, 8)):
        if depth < 4 and draw.random() < 0.45:
            fill(draw, folder / name, depth + 1)
        else:
            (folder / name).write_text("x\n")


def git(folder, *arguments):
    environment = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True)


def is_ignored(root, path):
    return git(root, "check-ignore", "-q", path).returncode == 0


def by_git(folder):
    run = git(folder, "ls-files", "-z", "--others", "--exclude-standard", "--", ".")
    found = [name.decode() for name in run.stdout.split(b"\0") if name]
    return sorted((name for name in found if not any(part.startswith(".") for part in name.split("/"))),
                  key=lambda name: name.encode())


def by_tool(tools, folder):
    run = subprocess.run([f"{tools}/bert-tokenize", "-m", MODEL, "-r", "--cut", "file", "--keep", "file", "."],
                         cwd=folder, capture_output=True, check=True)
    return [json.loads(line)["file"].removeprefix("./") for line in run.stdout.splitlines()]


def main():
    if shutil.which("git") is None:
        print("skipped: git is absent")
        sys.exit(77)
    tools = os.path.abspath(sys.argv[1])
    trees = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    draw = random.Random(7)
    files = 0
    for tree in range(trees):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory) / "root"
            fill(draw, root, 0)
            git(root, "init", "-q")
            if draw.random() < 0.3:
                (root / ".git/info/exclude").write_text(pattern(draw) + "\n")
            below = [path for path in root.iterdir() if path.is_dir() and path.name != ".git"]
            for folder in [root, *(path for path in below if not is_ignored(root, path))]:
                expected, found = by_git(folder), by_tool(tools, folder)
                files += len(expected)
                if expected != found:
                    shutil.copytree(root, "/tmp/check_ignored_tree", dirs_exist_ok=True)
                    sys.exit(f"tree {tree}, kept in /tmp/check_ignored_tree: git finds {expected}, the tool {found}")
    print(f"{files} files of {trees} trees")


if __name__ == "__main__":
    main()
