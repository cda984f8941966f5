#!/bin/sh
# examples.sh accepts pages whose examples work and detects every kind of disagreement.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

plant() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/tools" "$tree/man" "$tree/tests/docs/files" "$tree/tests/golden/models/tiny" "$tree/cmd/examples"
  cp "$here/../../cmd/playground.sh" "$tree/cmd"
  cp "$here"/*.awk "$here"/*.sh "$here/not-run" "$tree/tests/docs"
  cat >"$tree/man/tool.1" <<'END'
.Dd November 20, 2026
.Dt TOOL 1
.Os
.Sh NAME
.Nm tool
.Nd test
.Sh DESCRIPTION
Test.
.Sh EXAMPLES
Text:
.Bd -literal -offset indent
$ printf 'one\entwo\en' |
  cat
one
t...o
$ ls
examples
messages.csv
tiny
.Ed
.Dl $ true
.Sh SEE ALSO
.Xr cat 1
END
}
examples() { sh "$tree/tests/docs/examples.sh" "$tree/tools" "$tree" "$1"; }

# refused COMMAND... MESSAGE-PART: checks that the command fails with this message.
refused() {
  part=$1
  shift
  if said=$("$@" 2>&1); then echo "accepted, but expected: $part" >&2; exit 1; fi
  case $said in *"$part"*) ;; *) printf 'said:     %s\nexpected: %s\n' "$said" "$part" >&2; exit 1 ;; esac
}

plant
printf '```console\n$ echo a; echo b; echo c\na\n...\n$ false || true\n```\n```sh\n$ false\n```\n' >"$tree/README.md"
[ "$(examples "$tree/README.md")" = "2 examples of $tree/README.md" ]
plant; printf '```console\n$ echo a b\na c\n```\n' >"$tree/README.md"; refused 'echo a b' examples "$tree/README.md"
plant; printf '```console\n$ echo a\na\nb\n```\n' >"$tree/README.md"; refused 'echo a' examples "$tree/README.md"
plant; printf '```console\n$ printf "a\\nb\\n"\na\n```\n' >"$tree/README.md"; refused 'printf' examples "$tree/README.md"
plant; printf '```console\n$ false\n```\n' >"$tree/README.md"; refused 'exit code 1' examples "$tree/README.md"

# blocks.sh detects a block that fails, an option, a Makefile and a variable that do not exist, and what is not run no more.
block() {
  plant
  printf '#!/bin/sh\necho "  --dim N"\n' >"$tree/tools/bert-embed"
  chmod +x "$tree/tools/bert-embed"
  echo 'OUT ?= x' >"$tree/cmd/examples/common.mk"
  cp "$tree/cmd/examples/common.mk" "$tree/cmd/examples/fine-tuning.mk"
  printf 'all:\n\techo $(NAME)\n' >"$tree/cmd/examples/map.mk"
  printf 'A reason:\nmpirun\n' >"$tree/tests/docs/not-run"
  touch "$tree/cmd/examples/README.md"
  printf '```sh\n%s\n```\n```sh\nmpirun -n 2\n```\n' "$1" >"$tree/README.md"
}
blocks() { sh "$tree/tests/docs/blocks.sh" "$tree/tools" "$tree" "$tree/README.md"; }
block 'echo a | bert-embed --dim 3 && make -f examples/map.mk NAME=a'
[ "$(blocks)" = "1 of 2 blocks of $tree/README.md were run" ]
block 'bert-embed --dimm 3'; refused 'there is no bert-embed --dimm' blocks
block 'make -f examples/map.mk NAMES=a'; refused 'there is no map.mk NAMES' blocks
block 'make -f examples/mop.mk NAME=a'; refused 'there is no mop.mk' blocks
block 'for file in *; do echo'; refused 'FAILED: for file' blocks
block 'false'; refused 'FAILED: false' blocks
block 'true'; echo srun >>"$tree/tests/docs/not-run"; refused "not-run has 'srun'" blocks

command -v mandoc >/dev/null || exit 0
plant
[ "$(examples "$tree/man/tool.1")" = "3 examples of $tree/man/tool.1" ]
plant; sed -i 's/^one$/wrong/' "$tree/man/tool.1"; refused 'printf' examples "$tree/man/tool.1"
plant; sed -i 's/Dl $ true/Dl $ false/' "$tree/man/tool.1"; refused 'exit code 1' examples "$tree/man/tool.1"
