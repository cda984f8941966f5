#!/bin/sh
# From a fresh clone to predictions: sh cmd/try.sh
# Builds the tools in $BUILD_DIR (default: build/) and shows what they do. With --built, uses the tools that
# are already there.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD_DIR:-build}
case "$# $*" in
'0 ' | '1 --built') ;;
*)
  sed -n '2,4s/^# //p' "$0"
  [ "${1-}" = --help ] || [ "${1-}" = -h ] || exit 2
  exit
  ;;
esac
if [ $# = 0 ]; then
  sh cmd/packages.sh
  sh cmd/build.sh "$build" -DCMAKE_BUILD_TYPE=Release
fi

PATH=$(cd "$build/cmd" && pwd):$PATH
unset BERT_MODEL
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/lines.txt" <<'END'
The ship was lost in the storm.
The vessel sank in a gale at sea.
She wore a dress of white silk.
END
cat >"$folder/pairs.tsv" <<'END'
text	text_pair
The captain looked at the sea. The storm had driven the ship far to the south.	The sailors stood silent on the deck.
The captain looked at the sea. The storm had driven the ship far to the south.	The price of corn rose again that year, and the farmers of the county were glad.
END

# show COMMAND MEANING: prints COMMAND, runs it in $folder, and prints MEANING, which explains the output.
show() {
  printf '\n$ %s\n' "$1"
  (cd "$folder" && sh -c "$1")
  echo "$2"
}

show "echo 'He drank a cup of [MASK] and went to bed.' | bert-predict --top-k 3 --precision 2" \
  "Fill a mask: the words that the model finds most probable, best first."
show "bert-embed --normalize --format tsv lines.txt |
    awk 'NR == 1 { split(\$0, first) } { sum = 0; for (i = 1; i <= NF; i++) sum += first[i] * \$i; printf \"%.2f\\n\", sum }' |
    paste - lines.txt" \
  "Compare texts: each line becomes a vector; the number is its cosine similarity to the first line. The second
means the same and shares only small words with it."
show "bert-predict --task next --precision 2 pairs.tsv" \
  "Label pairs: whether the second text follows the first, with the probability of each answer."

cat <<END

This was the default model. It is small and knows English only; the README says how to get a larger one.
What to try next:
  sh cmd/playground.sh               a shell in which the examples of the README work as typed
  $build/cmd/bert-embed --format npy -o vectors.npy FILE
                                     a NumPy matrix with one row per line of FILE
  $build/cmd/bert-predict --help     the tasks: labels, tags, answers, masked words ...

To install the tools, man pages and completions without root:
  cmake --install $build --prefix ~/.local
If your shell then does not find them, add these lines to ~/.profile, or for zsh to ~/.zshrc, before compinit:
  export PATH=~/.local/bin:\$PATH
  export MANPATH=~/.local/share/man:                  # only if man does not find the pages
  fpath=(~/.local/share/zsh/site-functions \$fpath)    # only for zsh
To uninstall them:
  cmake --build $build --target uninstall
END
