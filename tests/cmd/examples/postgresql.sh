#!/bin/sh
# postgresql.sh finds what bert-search finds, in a server that this test starts for itself and that ends with it.
# Usage: postgresql.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
# shellcheck source=/dev/null
. "$here/engines.sh"
need psql setpriv
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'skipped: python3-numpy is absent'; exit 77; }
extension=$(find /usr/share/postgresql/*/extension/vector.control 2>/dev/null | sort -V | tail -n 1)
[ -n "$extension" ] || { echo 'skipped: pgvector is absent'; exit 77; }
version=${extension#/usr/share/postgresql/}
programs=/usr/lib/postgresql/${version%%/*}/bin

directory=$(mktemp -d)
server=
stop() {
  [ -z "$server" ] || { kill -QUIT "$server" && wait "$server"; } 2>/dev/null || true
  rm -rf "$directory"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM
cd "$directory"
PATH=$tools:$PATH
engine_files

# The server does not run as root. It gets SIGQUIT if this shell is killed.
as_server='setpriv --pdeathsig QUIT'
if [ "$(id -u)" = 0 ]; then
  chown postgres .
  as_server="$as_server --reuid postgres --regid postgres --clear-groups"
fi
# as_server is a list of words.
# shellcheck disable=SC2086
{
  $as_server "$programs/initdb" -D data -U tester --auth trust --encoding UTF8 --no-locale --no-sync >log 2>&1 || fail initdb
  $as_server "$programs/postgres" -D data -k "$PWD" -c listen_addresses= -c fsync=off >server.log 2>&1 &
}
server=$!
export PGHOST="$PWD" PGUSER=tester PGDATABASE=postgres
unset PGHOSTADDR PGPORT PGOPTIONS PGSERVICE PGPASSWORD
tries=0
until "$programs/pg_isready" -q; do
  tries=$((tries + 1))
  [ $tries -lt 100 ] && kill -0 "$server" || { cp server.log log; fail 'the server does not start'; }
  sleep 0.1
done
postgresql() { sh "$examples/postgresql.sh" "$@"; }

postgresql load loaded <vectors.jsonl
postgresql search loaded 7 <queries.jsonl >found
same_neighbors found
postgresql search loaded 1 <queries.jsonl >found
same_neighbors found expected.1

# In two parts, with vectors of other lengths, from an array, and in a schema of its own.
psql -qc 'CREATE SCHEMA "the schema"'
head -n 100 vectors.jsonl | postgresql load '"the schema"."the ''table"'
tail -n +101 vectors.jsonl | postgresql load '"the schema"."the ''table"'
postgresql load scaled <scaled.jsonl
python3 "$examples/vectors.py" texts.npy texts.jsonl | postgresql load joined
for table in '"the schema"."the ''table"' scaled joined; do
  postgresql search "$table" 7 <queries.jsonl >found
  same_neighbors found
done
# By dot products, as the first lines of postgresql.sh say.
sed 's/<=>/<#>/; s/1 - (embedding <#> query)/- (embedding <#> query)/; s/<=> query, row/<#> query, row/' "$examples/postgresql.sh" >dot.sh
bert-embed -q --normalize texts.jsonl | postgresql load unit
bert-embed -q --normalize queries.jsonl | sh dot.sh search unit 7 >found
same_neighbors found

# Records are kept.
psql -Atc "SELECT record - 'embedding_model' FROM loaded ORDER BY row" | jq -cS . >found
jq -cS . texts.jsonl | diff - found || fail 'other records'
[ "$(psql -Atc "SELECT record->>'id' FROM loaded WHERE row = 2")" = 12345678901234567890 ] || fail 'a large number'

# The blocks of README.md; the second search is by the index of the table.
block 'bert-embed texts.jsonl | sh' >commands
sh -eu commands >found 2>log || fail 'the block on PostgreSQL'
head -n 1 found >answer
tail -n 1 queries.jsonl >query.jsonl
found_by_search --drop q -k 10 query.jsonl >expected.10
same_neighbors answer expected.10
[ "$(grep -c 'train to London\.$' found)" = 36 ] || fail 'full-text search'
PGOPTIONS='-c enable_seqscan=off' postgresql search texts 7 <queries.jsonl >found
hits=$(jq -s 'group_by(.text) | map(map(.neighbors | map(.text)) | .[0] - (.[0] - .[1]) | length) | add' found expected)
[ "$hits" -ge 76 ] || fail "the index of the table finds $hits of 84 neighbors"
psql -Atc 'SET enable_seqscan = off' -c "EXPLAIN SELECT row FROM texts ORDER BY embedding <=> (SELECT embedding FROM texts WHERE row = 1), row LIMIT 5" |
  grep -q 'texts_embedding_idx' || fail 'the index of the table is not used'
block "bert-search --query 'snow" >commands
echo 'snow in the mountains' | bert-embed -o query.jsonl
sh -eu commands >/dev/null 2>log || fail 'the block on an index'
postgresql search wiki <query.jsonl >found
same_neighbors found expected.wiki

# Errors. A load that fails changes nothing.
count() { psql -Atc "SELECT count(*) FROM $1"; }
{ head -n 1 vectors.jsonl; echo '{"text":"no vector"}'; } >bad.jsonl
for table in loaded new; do refused 'null value in column "embedding"' postgresql load $table <bad.jsonl; done
echo '{"text":"east","embedding":[1,0]}' >point.jsonl
refused 'expected 384 dimensions, not 2' postgresql load loaded <point.jsonl
refused 'different vector dimensions 384 and 2' postgresql search loaded <point.jsonl
printf '%s\n' '{"text":"\u0000","embedding":[1,0]}' >nul.jsonl
refused '\u0000 cannot be converted to text' postgresql load new <nul.jsonl
refused 'relation "new" does not exist' postgresql search new <queries.jsonl
refused 'usage: ' postgresql search
[ "$(count loaded)" = 227 ] || fail 'a failed load changes the table'
postgresql load loaded </dev/null
[ "$(count loaded)" = 227 ] || fail 'an empty input changes the table'
