# Makes functions that write sentences with labels, train on them and print the dev metrics.
# records N FORM: sentences that each contain something good or bad.
records() {
  awk -v n="$1" -v form="$2" 'BEGIN {
    split("good great love light", good); split("bad dark less old", bad); split("film story book music", thing)
    for (i = 0; i < n; ++i) {
      kind = i * 7 % 3 % 2; word = kind ? good[i % 4 + 1] : bad[i % 4 + 1]; about = thing[int(i / 4) % 4 + 1]
      if (form == "class") printf "{\"text\":\"the %s was %s\",\"label\":\"%s\"}\n", about, word, kind ? "good" : "bad"
      if (form == "number") printf "{\"text\":\"%s %s\",\"text_pair\":\"it is %s\",\"label\":%s}\n", word, about, word, kind * 2.3 + i % 4 / 10
      if (form == "set") printf "{\"text\":\"the %s is %s\",\"label\":[\"%s\"%s]}\n", about, word, about, kind ? ",\"good\"" : ""
    }
  }'
}
train() { bert-train -m "$MODELS/bare" --dropout 0.1 --lr 3e-3 "$@"; }
# figures LOG: the last dev metrics, as bert-score prints them.
figures() { sed -n '$s/.*"dev_loss":[^,]*,//p' "$1" | sed 's/dev_//g; s/}//' | tr , '\n' | sort; }
# shellcheck disable=SC2046  # two words
scored() { bert-predict -m "$1" $([ "$3" != multilabel ] || echo --threshold 0.4) "$2" | bert-score --task "$3" | sed 's/"records":[0-9]*,//; s/"positive":"[a-z]*",//; s/,"\(ece\|brier\|log_loss\|roc_auc\|average_precision\)":[^,}]*//g; s/,"precision":.*//; s/,"labels":.*//; s/[{}]//g' | tr , '\n' | sort; }
