#!/bin/sh
# The JSON of --format google equals Python's output for the same values: json.dumps of the json.loads result
# gives the same bytes, and rounding to six decimals changes nothing.
# Usage: google_json.sh TOOLS_DIRECTORY
set -eu
command -v python3 >/dev/null || { echo "skipped: python3 is absent"; exit 77; }
models=$(cd "$(dirname "$0")/../golden/models" && pwd)
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cat >"$directory/compare.py" <<'END'
import json, sys
count = 0
for line in sys.stdin:
    value = json.loads(line)
    if json.dumps(value) + "\n" != line:
        sys.exit("differs: " + line[:200])
    for token in value["features"]:
        for layer in token["layers"]:
            count += len(layer["values"])
            if [round(x, 6) for x in layer["values"]] != layer["values"]:
                sys.exit("not rounded: " + line[:200])
if count < 10000:
    sys.exit(f"only {count} numbers")
END
# Replaces two vocabulary entries by tokens that Python escapes. They are selected by id, because text would
# be split.
cp -R "$models/bare" "$directory/model"
chmod -R u+w "$directory/model"
awk '$0 == "king" { print "k\"\\\303\266nig"; next } $0 == "queen" { print "\360\237\221\221"; next } { print }' \
  "$models/bare/vocab.txt" >"$directory/model/vocab.txt"
awk 'BEGIN { for (i = 0; i < 50; i++) print "the old cat said it was ||| year " i "\n" }' >"$directory/texts"
number() { echo $(($(grep -nx "$1" "$models/bare/vocab.txt" | cut -d : -f 1) - 1)); }
printf '{"input_ids":[%d,%d]}\n' "$(number king)" "$(number queen)" >"$directory/ids.jsonl"
"$1/bert-embed" -m "$directory/model" --format google --layers -1,0 "$directory/texts" | python3 "$directory/compare.py"
for precision in 1 3; do
  "$1/bert-embed" -m "$directory/model" --format google --layers 0 --precision $precision "$directory/texts" "$directory/texts" |
    python3 "$directory/compare.py"
done
"$1/bert-embed" -m "$directory/model" --format google --layers 0 "$directory/ids.jsonl" | python3 -c '
import json, sys
for line in sys.stdin:
    assert json.dumps(json.loads(line)) + "\n" == line and "\\ud83d" in line, line[:200]'
