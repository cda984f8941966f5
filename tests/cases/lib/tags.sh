# Makes train and dev files of tagged words, as CoNLL and JSONL, and functions that train on them.
# sentences FORM FIRST LAST: words with tags, IOB1 in columns and BIO in JSON; every sixth is longer than a
# window.
sentences() {
  awk -v form="$1" -v first="$2" -v last="$3" 'BEGIN {
    split("old Paris the King of Paris said a good year", word); split("O LOC O PER PER LOC O O O O", type)
    for (n = first; n <= last; ++n) {
      line = "# id = " n "\n"; words = tags = ""; before = "O"
      for (w = 0; w < (n % 6 ? n % 7 + 1 : 40); ++w) {
        i = (n * 7 + w * (1 + n % 3)) % 10 + 1; now = type[i]
        bio = now == "O" ? "O" : (now == before ? "I-" : "B-") now
        line = line word[i] " _ " (now == "O" ? "O" : "I-" now) "\n"
        words = words (w ? "," : "") "\"" word[i] "\""; tags = tags (w ? "," : "") "\"" bio "\""
        before = now
      }
      if (form == "conll") print (n % 10 ? "" : "-DOCSTART- -X- O\n\n") line
      else print "{\"words\":[" words "],\"tags\":[" tags "]}"
    }
  }'
}
train() { bert-train --task tag -m "$MODELS/bare" --dropout 0.1 --lr 3e-3 --batch-size 10 "$@"; }
# figures LOG: the last dev metrics, as bert-score prints them.
figures() { sed -n 's/.*"dev_loss":[^,]*,//p' "$1" | tail -n 1 | sed 's/dev_//g; s/}//' | tr , '\n' | sort; }
scored() { bert-predict "$@" | bert-score --task tag --metric precision,recall,f1,accuracy | sed 's/"records":[0-9]*,"words":[0-9]*,//; s/[{}]//g' | tr , '\n' | sort; }
labels() { sed -n '/id2label/,/}/p' "$1/config.json" | tr -d ' \n' && echo; }
sentences conll 1 90 >train.conll
sentences conll 91 120 >dev.conll
sentences json 1 90 >train.jsonl
sentences json 91 120 >dev.jsonl
