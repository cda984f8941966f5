#!/bin/sh
# Shared by the tests of other search engines; to be sourced after common.sh.
# shellcheck disable=SC2154
need jq

# engine_files: texts.jsonl, their vectors in vectors.jsonl and texts.npy, queries.jsonl, and in the file expected what
# bert-search finds. Ids are strings, numbers or missing, and texts have what quoting can get wrong. The vectors in
# scaled.jsonl and scaled.npy have the same cosines and other lengths. expected.1 has one neighbor, where two are equally near.
# wiki.index is the index of a folder, and expected.wiki what is found in it.
engine_files() {
  : >log
  ln -s "$examples" examples
  ln -s "$(cd "$here/../../docs/files" && pwd)/wiki" wiki
  mkdir bin
  ln -s /usr/bin/python3 bin/python3
  PATH=$PWD/bin:$PATH PYTHONDONTWRITEBYTECODE=1
  export PYTHONDONTWRITEBYTECODE
  cat >odd.jsonl <<'END'
{"id":"a\"b","text":"She said \"no\", and that it's over; DROP TABLE texts; --"}
{"id":"line\nbreak","text":"two\nlines\r\nof a letter"}
{"id":12345678901234567890,"text":"a big number as an id"}
{"text":"no id\there, but a tab and a back\\slash, \\N, \\. and \\t"}
{"id":"","text":"-"}
{"id":"\\.","text":"\\."}
{"id":"ü","text":"Die Brücke über den Fluß — 橋 🌉 e\u0301 \u00e9","n":1.50,"nested":{"embedding":[1]}}
{"id":null,"text":"$HOME `ls` ${x} %s :neighbors :'table' $$ $1"}
{"id":{"volume":3},"text":"\u0001\u0002 control characters\u007f"}
END
  awk 'BEGIN {
    split("The king,A sailor,My neighbor,The old queen,A young doctor,Nobody", who, ",")
    split("repaired,forgot,sold,painted,dreamed of,looked for", does, ",")
    split("the bridge,a boat,the cold soup,the house by the river,an umbrella,the train to London", what, ",")
    for (i = 1; i <= 6; i++) for (j = 1; j <= 6; j++) for (k = 1; k <= 6; k++)
      printf "{\"id\":\"%d/%d/%d\",\"text\":\"%s %s %s.\"}\n", i, j, k, who[i], does[j], what[k]
  }' >plain.jsonl
  twice='{"text":"A boat was painted twice."}'
  { cat odd.jsonl; echo "$twice"; cat plain.jsonl; echo "$twice"; } >texts.jsonl
  bert-embed -q -o vectors.jsonl texts.jsonl
  bert-embed -q --format npy -o texts.npy texts.jsonl
  { cat odd.jsonl; printf '{"q":%d,"text":"%s"}\n' 1 'Who painted a boat twice?' 2 'soup that went cold' 3 'rail travel'; } |
    bert-embed -q -o queries.jsonl
  found_by_search -k 7 queries.jsonl >expected
  [ "$(jq -s 'map(.neighbors | length) | add' expected)" = 84 ] || fail 'queries'
  found_by_search -k 1 queries.jsonl >expected.1
  grep -q '"id":9,' expected.1 || fail 'no neighbors are equally near'
  python3 - <<'END'
import json, numpy
array = numpy.load("texts.npy")
array *= 2.0 ** (numpy.arange(len(array), dtype="f4") % 5)[:, None]
numpy.save("scaled.npy", array)
with open("scaled.jsonl", "w", encoding="utf-8") as scaled:
    for line, row in zip(open("vectors.jsonl", encoding="utf-8"), array):
        print(json.dumps({**json.loads(line), "embedding": row.tolist()}), file=scaled)
END
  echo 'snow in the mountains' | bert-embed -o query.jsonl
  bert-search -q --query 'snow in the mountains' --in wiki --index wiki.index --with text -k 5 |
    jq -c 'del(.neighbors[] | .file, .start_line, .end_line, .start, .end)' >expected.wiki
}
found_by_search() { bert-search -q --index vectors.jsonl --with text --drop embedding "$@"; }

# same_neighbors FILE [EXPECTED]: the same records and neighbors, with scores as near as 32-bit numbers allow.
same_neighbors() {
  python3 - "$1" "${2-expected}" <<'END' || fail "$1: other neighbors"
import json, sys
found, expected = ([json.loads(line) for line in open(name, encoding="utf-8")] for name in sys.argv[1:])
if len(found) != len(expected):
    sys.exit(f"queries: {len(found)}, expected {len(expected)}")
for came, wanted in zip(found, expected):
    scores = [[neighbor.pop("score") for neighbor in record["neighbors"]] for record in (came, wanted)]
    if came != wanted or any(abs(a - b) > 2e-6 for a, b in zip(*scores)):
        sys.exit(f"found    {came} {scores[0]}\nexpected {wanted} {scores[1]}")
END
}

# refused MESSAGE COMMAND...: it fails with the message, which is the only line if it is that of a program in Python.
refused() {
  message=$1
  shift
  if "$@" >out 2>log; then fail "accepted: $*"; fi
  grep -qF -e "$message" log || fail "does not say: $message"
  case $message in *.py:*) [ "$(wc -l <log)" = 1 ] || fail "more lines than: $message" ;; esac
}
