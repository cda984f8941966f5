#!/bin/sh
# Training from a pipe needs the same memory for many records as for few; the shuffle buffer has a bounded
# size.
# Usage: train_memory.sh TOOLS_DIRECTORY [RECORDS]
set -eu
command -v python3 >/dev/null || { echo "skipped: python3 is absent"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
tools=$(cd "$1" && pwd) many=${2:-300000} few=100000
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

# peak RECORDS: prints the peak KiB of a run over RECORDS records from a pipe, masked by bert-train.
peak() {
  awk -v records="$1" 'BEGIN { for (i = 0; i < records; i++)
    printf "{\"input_ids\":[2,20,21,22,23,24,25,26,27,28,29,3],\"document\":%d,\"instance\":0}\n", i }' |
    python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
      "$tools/bert-train" --task pretrain -m "$here/../golden/training/narrow" --schedule constant --batch-size 256 --shuffle-buffer 1000 --out "out$1"
}
small=$(peak $few) large=$(peak "$many")
echo "$small KiB for $few records, $large KiB for $many"
[ "$large" -le $((small + 4096)) ]
