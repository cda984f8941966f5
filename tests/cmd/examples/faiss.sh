#!/bin/sh
# faiss-index.py finds what bert-search finds; approximate indexes find most of it.
# Usage: faiss.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
# shellcheck source=/dev/null
. "$here/engines.sh"
/usr/bin/python3 -c 'import faiss' 2>/dev/null || { echo 'skipped: python3-faiss is absent'; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
PATH=$tools:$PATH
engine_files
index() { python3 "$examples/faiss-index.py" "$@"; }

index build texts.npy texts.faiss
awk 1 RS='\n' ORS='\r\n\r\n' texts.jsonl >blank.jsonl
index search texts.faiss blank.jsonl 7 <queries.jsonl >found
same_neighbors found
index build scaled.npy other.faiss
index search other.faiss texts.jsonl 7 <queries.jsonl >found
same_neighbors found
bert-embed -q --format npy-f16 -o half.npy texts.jsonl
index build half.npy other.faiss
index search other.faiss texts.jsonl 7 <queries.jsonl >found
bert-search -q --index half.npy --records texts.jsonl --with text --drop embedding -k 7 queries.jsonl >expected.half
same_neighbors found expected.half

# Indexes that learn, and those that miss neighbors: of 84, they find nearly all.
for kind in HNSW32 IVF4,SQ8; do
  index build texts.npy other.faiss $kind
  index search other.faiss texts.jsonl 7 <queries.jsonl >found
  hits=$(jq -s 'group_by(.text) | map(map(.neighbors | map(.text)) | .[0] - (.[0] - .[1]) | length) | add' found expected)
  [ "$hits" -ge 76 ] || fail "$kind finds $hits of 84 neighbors"
done

# The blocks of README.md.
tail -n 1 queries.jsonl >query.jsonl
bert-search -q --index vectors.jsonl --with text --drop embedding,q -k 10 query.jsonl >expected
rm -f texts.npy texts.faiss
block 'bert-embed --format npy -o texts.npy' >commands
sh -eu commands >found 2>log || fail 'the block on faiss'
same_neighbors found
block 'python3 examples/faiss-index.py build wiki' >commands
sh -eu commands >found || fail 'the block on an index'
same_neighbors found expected.wiki

# Errors.
head -n 5 texts.jsonl >short
refused 'faiss-index.py: short: number of records: 5; texts.faiss has 227 vectors' index search texts.faiss short <queries.jsonl
echo '{"text":"east","embedding":[1,0]}' >point.jsonl
refused 'faiss-index.py: a vector has 2 numbers, those before it have 384' index search texts.faiss texts.jsonl <point.jsonl
refused 'faiss-index.py: absent: No such file' index build absent none.faiss
refused 'faiss-index.py: texts.jsonl: not an array of NumPy' index build texts.jsonl none.faiss
refused 'none.faiss' index search none.faiss texts.jsonl <queries.jsonl
refused 'Nonsense' index build texts.npy none.faiss Nonsense
[ ! -e none.faiss ] || fail 'a failure leaves an index'
