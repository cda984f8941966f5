# Makes functions that write questions with answers, fine-tune for them and compare the dev metrics.
# records N EACH: contexts in which the answer is a king or queen and the words after; every EACH-th record
# has no answer (0: all have one). Some contexts are longer than a window, some answers end within a token.
records() {
  awk -v n="$1" -v each="$2" 'BEGIN {
    count = split("the old man took a long way home over river and book", word); split("king queen", person)
    for (i = 0; i < n; ++i) {
      none = each && i % each == 0; place = i * 5 % (4 + i % 3 * 8); last = place + 3 + i * 7 % 20; context = "Ü"
      for (k = 0; k <= last; ++k) {
        if (k == place && !none) {
          answer = person[i % 2 + 1] " is g" (i % 4 ? "ood" : "")
          start = length(context)  # in bytes; the second byte of Ü accounts for the space
          context = context " " answer (i % 4 ? "" : "ood")
        }
        context = context " " word[(i * 3 + k * 7) % count + 1]
      }
      printf "{\"id\":\"q%d\",\"question\":\"who is it\",\"context\":\"%s\",\"answers\":", i, context
      if (none) print "{\"text\":[],\"answer_start\":[]}}"
      else printf "{\"text\":[\"%s\",\"other\"],\"answer_start\":[%d,0]}}\n", answer, start
    }
  }'
}
train() { bert-train --task answer -m "$MODELS/bare" --dropout 0.1 --lr 3e-3 --batch-size 10 --max-length 24 --stride 8 "$@"; }
# figures LOG: the last dev metrics, as bert-score prints them.
figures() { sed -n 's/.*"dev_loss":[^,]*,//p' "$1" | tail -n 1 | sed 's/dev_//g; s/}//' | tr , '\n'; }
scored() { bert-predict --stride 8 "$@" | bert-score --task answer | sed 's/"records":[0-9]*,//; s/[{}]//g' | tr , '\n'; }

# same NAME EACH OPTION...: the options apply to training and prediction.
same() {
  name=$1 each=$2
  shift 2
  echo "--- $name"
  records 120 "$each" >train.jsonl
  records 150 "$each" | tail -n 40 >dev.jsonl
  train --epochs 4 "$@" --dev dev.jsonl --out "$name" train.jsonl >"$name.log" || echo "exit $?"
  figures "$name.log" >expected
  scored -m "$name" "$@" dev.jsonl | diff expected - && sed 's/:.*//' expected | tr '\n' ' ' && echo
}
