#!/bin/sh
# Keeps records and their vectors in a table of PostgreSQL with pgvector, and searches them there:
#
#   bert-embed texts.jsonl | sh postgresql.sh load texts          creates the table `texts`, or adds to it
#   bert-embed queries.txt | sh postgresql.sh search texts 10     adds the 10 nearest `neighbors` to each query
#
# The table has `row`, counted from 0, `record`, which is the JSON without the vector, and `embedding`. A search finds
# what bert-search finds: <=> is the cosine distance, which does not depend on the length of vectors. For those of
# bert-embed --normalize, <#> (the negative dot product) gives the same order in less time.
#
# It compares a query with all vectors. An index of the table is faster and may miss neighbors:
#
#   psql -c 'CREATE INDEX ON texts USING hnsw (embedding vector_cosine_ops)'
#
# psql connects to the server that PGHOST, PGDATABASE, PGUSER and the other variables of its manual name. TABLE is a name
# in SQL. Needs PostgreSQL and pgvector (Debian 13: postgresql-17-pgvector), and a database in UTF-8. A load that fails
# changes nothing. PostgreSQL cannot store a text with the character U+0000.
set -eu
usage() {
  echo "usage: postgresql.sh load TABLE <VECTORS.jsonl" >&2
  echo "       postgresql.sh search TABLE [NEIGHBORS] <QUERIES.jsonl" >&2
  exit 2
}
[ $# -ge 2 ] && [ -n "$2" ] || usage
export PGCLIENTENCODING=UTF8 PGOPTIONS="${PGOPTIONS-} -c client_min_messages=warning"

# run VARIABLE=VALUE...: psql with the commands from file descriptor 3 in one transaction. pstdin is the standard input.
# As CSV with quotes and delimiters that JSON cannot contain, each line is a value as it is; in COPY's own format, a
# backslash would be lost.
run() {
  for variable; do
    set -- "$@" -v "$variable"
    shift
  done
  psql --no-psqlrc --quiet --no-align --tuples-only --single-transaction -v ON_ERROR_STOP=1 "$@" -f /dev/fd/3
}

case $1 in
load)
  [ $# = 2 ] || usage
  run table="$2" 3<<'END'
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TEMPORARY TABLE lines (row bigint GENERATED ALWAYS AS IDENTITY (MINVALUE 0), record json);
\copy lines (record) FROM pstdin WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
-- The number of dimensions is that of the first vector. An index needs it.
SELECT format('CREATE TABLE IF NOT EXISTS %s (row bigint PRIMARY KEY, record jsonb NOT NULL, embedding vector(%s) NOT NULL)',
  :'table', json_array_length(record->'embedding')) FROM lines WHERE row = 0 \gexec
INSERT INTO :table
  SELECT row + (SELECT coalesce(max(row) + 1, 0) FROM :table), record::jsonb - 'embedding', (record->>'embedding')::vector
  FROM lines ORDER BY row;
ANALYZE :table;
END
  ;;
search)
  [ $# -le 3 ] || usage
  run table="$2" neighbors="${3-5}" 3<<'END'
CREATE TEMPORARY TABLE lines (row bigint GENERATED ALWAYS AS IDENTITY, record jsonb);
\copy lines (record) FROM pstdin WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
-- MATERIALIZED: the vector is read once for a query, not once for each row of the table.
WITH queries AS MATERIALIZED (SELECT row, record, (record->>'embedding')::vector AS query FROM lines)
SELECT record - 'embedding' - 'embedding_model' || (
  SELECT jsonb_build_object('neighbors', coalesce(jsonb_agg(
    jsonb_build_object('id', coalesce(nullif(record->'id', 'null'), to_jsonb(row)), 'score', score::real, 'text', record->'text')
    ORDER BY score DESC, row), '[]'))
  FROM (
    SELECT row, record, 1 - (embedding <=> query) AS score FROM :table ORDER BY embedding <=> query, row LIMIT :neighbors
  ) AS nearest)
FROM queries ORDER BY row;
END
  ;;
*) usage ;;
esac
