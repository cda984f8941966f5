#!/bin/sh
# From a fresh clone to text that became tokens, vectors and answers: sh cmd/try.sh
# The build is in $BUILD_DIR, else build/.
set -eu
cd "$(dirname "$0")/.."
sh cmd/packages.sh

build=${BUILD_DIR:-build}
echo "Building in $build/ (a few minutes the first time)"
mkdir -p "$build"
{
  cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release && cmake --build "$build" --parallel "$(nproc)"
} >"$build/build.log" 2>&1 || { tail -n 60 "$build/build.log"; echo "The build failed; all of it: $build/build.log"; exit 1; }
PATH=$(cd "$build/cmd" && pwd):$PATH

text=$(mktemp)
trap 'rm -f "$text"' EXIT
cat >"$text" <<'END'
Call me Ishmael.
It was the best of times, it was the worst of times.
Happy families are all alike; every unhappy family is unhappy in its own way.
END

# show COMMAND: what a person would type, and what comes of it.
show() {
  printf '\n$ %s\n' "$1"
  sh -c "$2"
}

echo
echo "The text, text.txt:"
cat "$text"
show 'bert-tokenize --tokens text.txt' "bert-tokenize --tokens '$text'"
show 'bert-embed --dim 6 --precision 4 text.txt' "bert-embed --dim 6 --precision 4 '$text'"
show "echo 'It was a dark and [MASK] night.' | bert-predict --top-k 3 --precision 2" \
  "echo 'It was a dark and [MASK] night.' | bert-predict --top-k 3 --precision 2"
show 'bert-predict --task perplexity --precision 4 text.txt' "bert-predict --task perplexity --precision 4 '$text'"
echo
echo "This is the default model, a small BERT of English books. Give another one by -m DIR."
echo
echo "The tools are in $build/cmd; install them by: cmake --install $build"
