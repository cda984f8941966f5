# Makes train.jsonl and dev.jsonl, texts with one to four choices, of which only the right one is a good word.
records() {
  awk -v n="$1" 'BEGIN {
    split("good great love light", good); split("bad dark less old", bad); split("film story book music", thing)
    for (i = 0; i < n; ++i) {
      choices = 1 + i % 4; right = i * 7 % choices; text = "the " thing[int(i / 4) % 4 + 1]
      printf "{\"text\":\"%s\",%s\"choices\":[", text, i % 3 ? "" : "\"question\":\"it was\","
      for (k = 0; k < choices; ++k) printf "%s\"%s\"", k ? "," : "", k == right ? good[i % 4 + 1] : bad[(i + k) % 4 + 1]
      printf i % 5 ? "],\"label\":%d}\n" : "],\"label\":\"%d\"}\n", right
    }
  }'
}
train() { bert-train --task choose -m "$MODELS/bare" --dropout 0.1 --lr 3e-3 "$@"; }
records 100 >train.jsonl
records 140 | tail -n 40 >dev.jsonl
