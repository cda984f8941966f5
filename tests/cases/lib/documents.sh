# Makes functions that write documents at some of 60 places and pair their sentences; bad records are skipped.
pairs() { bert-nsp-pairs -m "$MODELS/pretraining" -q --max-length 12 --on-error skip "$@"; }
# Documents of two to four sentences at `share` of the positions; empty documents or bad records elsewhere.
documents() {
  awk -v seed="$1" -v share="$2" 'BEGIN {
    srand(seed)
    for (place = 0; place < 60; ++place) {
      if (rand() >= share) { print rand() < 0.5 ? "{\"sentences\":[[],[]]}" : "{\"text\":\"bad\"}"; continue }
      printf "{\"sentences\":["
      for (s = 0; s < 2 + place % 3; ++s) printf "%s[%d,%d]", s ? "," : "", 20 + 4 * place % 160 + s, 190
      print "]}"
    }
  }'
}
