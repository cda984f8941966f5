#!/usr/bin/env python3
"""Checks that what the Python scripts of tests/ import from each other exists, without running them: many need software that
is not installed.

    imports.py [REPOSITORY]
"""
import ast
import sys
from pathlib import Path


def targets(node):
    """Names that a statement of a module defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {name.asname or name.name.split(".")[0] for name in node.names}
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.With, ast.If, ast.Try)):
        return {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)} | {
            name for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt) for name in targets(child)}
    return set()


def main():
    tests = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]) / "tests"
    trees = {path: ast.parse(path.read_text(encoding="utf-8"), str(path)) for path in sorted(tests.rglob("*.py"))}
    modules = {}  # name -> names that modules of this name define
    for path, tree in trees.items():
        modules.setdefault(path.stem, set()).update(*(targets(node) for node in tree.body))
    assert "row" in modules["bench"] and "setting" in modules["fast_blas"], "the check itself finds no names"
    missing = [f"{path}:{node.lineno}: {node.module}.py has no {name.name}"
               for path, tree in trees.items() for node in ast.walk(tree)
               if isinstance(node, ast.ImportFrom) and node.module in modules
               for name in node.names if name.name not in modules[node.module] and name.name != "*"]
    print(*missing, sep="\n", end="\n" if missing else "")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
