#!/bin/sh
# options.sh and examples.sh accept a tool whose documentation agrees and detect every kind of disagreement.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

plant() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/tools" "$tree/man" "$tree/completions/bash" "$tree/completions/zsh" "$tree/completions/fish" \
    "$tree/tests/docs/files" "$tree/tests/golden/models/tiny" "$tree/cmd/cookbook"
  cp "$here/../../cmd/playground.sh" "$tree/cmd"
  cp "$here"/*.awk "$here"/*.sh "$here"/complete.bash "$tree/tests/docs"
  cat >"$tree/tools/tool" <<'END'
#!/bin/sh
cat <<HELP
Usage: tool [OPTION]... [FILE]...
Running:
  -o, --output FILE       Write to FILE; see --form.
      --form a|b-c        Form. (default a)
  -q                      Quiet.
HELP
END
  chmod +x "$tree/tools/tool"
  cat >"$tree/man/tool.1" <<'END'
.Dd November 20, 2026
.Dt TOOL 1
.Os
.Sh NAME
.Nm tool
.Nd test
.Sh DESCRIPTION
.Bl -tag -width Ds
.It Fl o , Fl -output Ar FILE
Write.
.It Fl -form Cm a | b-c
Form, see
.Fl -other .
.It Fl q
Quiet.
.El
.Sh EXAMPLES
Text:
.Bd -literal -offset indent
$ printf 'one\entwo\en' |
  cat
one
t...o
$ ls
cookbook
tiny
.Ed
.Dl $ true
.Sh SEE ALSO
.Xr cat 1
END
  cat >"$tree/completions/bash/tool" <<'END'
_tool() {
  case $3 in
  --form) COMPREPLY=(a b-c) ;;
  *) COMPREPLY=(-o --output --form -q) ;;
  esac
}
complete -F _tool tool
END
  cat >"$tree/completions/zsh/_tool" <<'END'
#compdef tool
_arguments '(-o --output)'{-o,--output}'[write to -x --y]:file:_files' '--form[form]:form:(a b-c)' '-q[quiet]'
END
  cat >"$tree/completions/fish/tool.fish" <<'END'
complete -c tool -s o -l output -r -d 'Write'
complete -c tool -l form -x -a 'a b-c'
complete -c tool -s q
END
}
options() { sh "$here/options.sh" "$tree/tools" "$tree" tool; }
examples() { sh "$tree/tests/docs/examples.sh" "$tree/tools" "$tree" "$1"; }

# refused COMMAND... MESSAGE-PART: checks that the command fails with this message.
refused() {
  part=$1
  shift
  if said=$("$@" 2>&1); then echo "accepted, but expected: $part" >&2; exit 1; fi
  case $said in *"$part"*) ;; *) printf 'said:     %s\nexpected: %s\n' "$said" "$part" >&2; exit 1 ;; esac
}

plant
options
plant; sed -i '/Fl q/d' "$tree/man/tool.1"; refused '< -q' options
plant; sed -i 's/Fl o , //' "$tree/man/tool.1"; refused '< -o' options
plant; sed -i 's/(-o /(/' "$tree/completions/bash/tool"; refused '< -o' options
plant; sed -i 's/a b-c/a/' "$tree/completions/bash/tool"; refused 'bash offers "a "' options
plant; sed -i "s/ '--form.*)'//" "$tree/completions/zsh/_tool"; refused '< --form' options
plant; sed -i 's/(a b-c)/(a)/' "$tree/completions/zsh/_tool"; refused 'zsh does not offer (a b-c)' options
plant; sed -i 's/-l form/-l format/' "$tree/completions/fish/tool.fish"; refused '> --format' options
plant; rm "$tree/completions/fish/tool.fish"; refused 'tool.fish is missing' options

plant
printf '```console\n$ echo a; echo b; echo c\na\n...\n$ false || true\n```\n```sh\n$ false\n```\n' >"$tree/README.md"
[ "$(examples "$tree/README.md")" = "2 examples of $tree/README.md" ]
plant; printf '```console\n$ echo a b\na c\n```\n' >"$tree/README.md"; refused 'echo a b' examples "$tree/README.md"
plant; printf '```console\n$ echo a\na\nb\n```\n' >"$tree/README.md"; refused 'echo a' examples "$tree/README.md"
plant; printf '```console\n$ printf "a\\nb\\n"\na\n```\n' >"$tree/README.md"; refused 'printf' examples "$tree/README.md"
plant; printf '```console\n$ false\n```\n' >"$tree/README.md"; refused 'exit code 1' examples "$tree/README.md"

command -v mandoc >/dev/null || exit 0
plant
[ "$(examples "$tree/man/tool.1")" = "3 examples of $tree/man/tool.1" ]
plant; sed -i 's/^one$/wrong/' "$tree/man/tool.1"; refused 'printf' examples "$tree/man/tool.1"
plant; sed -i 's/Dl $ true/Dl $ false/' "$tree/man/tool.1"; refused 'exit code 1' examples "$tree/man/tool.1"
