#!/bin/sh
# Measures which share of each parser's lines the seeds and corpora reach: sh tests/fuzz/coverage.sh [FOLDER]
# FOLDER/TARGET contains more inputs for each target, such as fuzz-found from run.sh. Builds below $BUILD_DIR
# (default: build-test/). Needs gcov, which comes with GCC.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD_DIR:-$root/build-test}/coverage
more=${1:-}
sh "$root/cmd/build.sh" -t fuzz "$build" -DBERT_DEVELOPER=ON -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 --coverage'
find "$build" -name '*.gcda' -delete
for seeds in "$build"/tests/fuzz/seeds/*/; do
  target=$(basename "$seeds")
  corpus=$root/tests/fuzz/corpus/$target
  [ -d "$corpus" ] || corpus=
  "$build/tests/fuzz/${target}_fuzz" -runs=0 "$seeds" ${corpus:+"$corpus"} ${more:+"$more/$target"} >/dev/null
done
cd "$build"
find lib -name '*.gcda' | sort | while read -r data; do
  gcov -n "$data" 2>/dev/null | awk -v root="$root/lib/" '
    /^File/ { file = $2; gsub("\047", "", file); wanted = index(file, root) == 1 && file ~ /\.cpp$/ }
    /^Lines executed/ && wanted { split($2, share, ":"); print share[2] "\t" $4 "\t" substr(file, length(root) + 1) }'
done | grep -E '	(ckpt/(checkpoint|forms|names|pickle|pytorch|safetensors|state_dictionary|tensorflow|zip)|text/(added_tokens|load_tokenizer|tokenizer_files|tokenizer_json)|model/(config|config_json|sentence_transformers)|json/(json|members|utf8)|io/(array_shape|conll|csv|cutter|input_reader|record_reader|squad_cutter)|features/(given_ids|sequence)|corpus/vocab_filter|search/(codes|graph|hnsw|vectors)|examples/[a-z]*_example|metric/(gold|score_filter|scorer_[a-z]*)|train/state_json)\.cpp$' |
  awk -F '\t' '{ lines += $2; reached += $1 * $2 / 100; print } END { printf "%.2f%%\t%d\tin all\n", 100 * reached / lines, lines }'
