#!/bin/sh
# sqlite.py finds what bert-search finds; the shell of SQLite and sqlite-vec, whose extension $BERT_SQLITE_VEC names, can
# read its database.
# Usage: sqlite.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
# shellcheck source=/dev/null
. "$here/engines.sh"
need sqlite3
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'skipped: python3-numpy is absent'; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
PATH=$tools:$PATH
engine_files
sqlite() { python3 "$examples/sqlite.py" "$@"; }

sqlite load 'a ?#%.db' <vectors.jsonl
sqlite search 'a ?#%.db' 7 <queries.jsonl >found
same_neighbors found
sqlite search 'a ?#%.db' 1 <queries.jsonl >found
same_neighbors found expected.1
mv 'a ?#%.db' texts.db

# In two parts, with vectors of other lengths, and from an array.
head -n 100 vectors.jsonl | sqlite load parts.db
tail -n +101 vectors.jsonl | sqlite load parts.db
sqlite load scaled.db <scaled.jsonl
python3 "$examples/vectors.py" texts.npy texts.jsonl | sqlite load joined.db
for database in parts scaled joined; do
  sqlite search $database.db 7 <queries.jsonl >found
  same_neighbors found
done

# The folder of an index.
python3 "$examples/vectors.py" wiki.index | sqlite load wiki.db
sqlite search wiki.db <query.jsonl >found
same_neighbors found expected.wiki

# A vector of zeros.
printf '{"text":"%s","embedding":[%s]}\n' east 1,0 none 0,0 west -1,0 >points.jsonl
sqlite load points.db <points.jsonl
sqlite search points.db <points.jsonl >found
bert-search --index points.jsonl --with text --drop embedding points.jsonl >expected.points
same_neighbors found expected.points

# Records are kept byte for byte. Words are those of bert-search --lexical.
sqlite3 texts.db "SELECT json_remove(record, '\$.embedding_model') FROM texts ORDER BY row" | diff texts.jsonl - || fail 'other records'
jq -c '{text}' texts.jsonl >no-ids.jsonl
for word in BRÜCKE soup no; do
  bert-search -q --lexical --index no-ids.jsonl -k 0 --min-score 0 --query "$word" | jq '.neighbors[].id' | sort -n >expected.rows
  [ -s expected.rows ] || fail "no text has $word"
  sqlite3 texts.db "SELECT rowid FROM words WHERE words MATCH '$word' ORDER BY rowid" | diff expected.rows - || fail "the word $word"
done
[ -z "$(sqlite3 texts.db "SELECT rowid FROM words WHERE words MATCH 'brucke'")" ] || fail 'words lose their accents'

# The blocks of README.md.
mv texts.db loaded.db
block 'bert-embed texts.jsonl | python3' >commands
sh -eu commands >found 2>log || fail 'the block on SQLite'
head -n 1 found >answer
tail -n 1 queries.jsonl >query.jsonl
bert-search -q --index vectors.jsonl --with text --drop embedding,q -k 10 query.jsonl >expected
same_neighbors answer
[ "$(grep -c 'train to London\.$' found)" = 36 ] || fail 'full-text search'
if [ -n "${BERT_SQLITE_VEC-}" ]; then
  block 'query=$' | sed "s,vec0,$BERT_SQLITE_VEC," >commands
  sh -eu commands >found
  jq -r '.neighbors[].text' expected | diff - found || fail 'sqlite-vec'
else
  echo 'without sqlite-vec'
fi

# Errors. A load that fails leaves the database as it was.
before=$(sha256sum loaded.db)
{ head -n 1 vectors.jsonl; echo '{"text":"no vector"}'; } >bad.jsonl
refused 'sqlite.py: -:2: expected a record with an array `embedding`' sqlite load loaded.db <bad.jsonl
refused 'sqlite.py: a vector has 2 numbers, those before it have 384' sqlite load loaded.db <points.jsonl
[ "$(sha256sum loaded.db)" = "$before" ] || fail 'a failed load changes the database'
refused 'sqlite.py: a vector has 2 numbers, those before it have 384' sqlite search loaded.db <points.jsonl
refused 'sqlite.py: absent.db: unable to open database file' sqlite search absent.db <queries.jsonl
refused 'sqlite.py: texts.jsonl: file is not a database' sqlite search texts.jsonl <queries.jsonl
refused 'sqlite.py: stdout: No space left on device' sh -c "python3 examples/sqlite.py search loaded.db <queries.jsonl >/dev/full"
head -n 5 texts.jsonl >short
refused 'vectors.py: short: number of records: 5; the array has 227 rows' python3 "$examples/vectors.py" texts.npy short
[ "$(sqlite search loaded.db 1000 <queries.jsonl | head -n 1 | jq '.neighbors | length')" = 227 ] || fail 'head'
