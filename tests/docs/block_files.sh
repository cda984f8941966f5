# shellcheck shell=sh disable=SC2154
# What the blocks need beside the files of the playground; to be sourced by blocks.sh.
block_files() {
  [ "$(basename "$page")" = README.md ] && [ "$(basename "$(dirname "$page")")" = examples ] || return 0
  ln -s masked-lm bert-base
  ln -s sentence-old minilm
  seq 300 | sed 's/.*/{"text":"The king has & ships."}/' >corpus.jsonl
  for version in v1.1 v2.0; do
    for part in train dev; do questions $version >$part-$version.json; done
  done
  mkdir -p qa evidence/wikipedia
  echo 'Ada was born in London.' >evidence/wikipedia/Ada.txt
  echo '{"Data":[{"Answer":{"Aliases":["Ada"],"Value":"Ada"},"EntityPages":[{"Filename":"Ada.txt"}],"Question":"Who?","QuestionId":"t1"}]}' \
    >qa/wikipedia-train.json
  {
    echo ',video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label'
    for number in 1 2 3 4; do echo "$number,v1,1,x,The king sat.,He,gold,\"stood up, again.\",ran.,slept.,sang.,0"; done
  } >train.csv
  cp train.csv val.csv
  sed 's/,label$//; s/,0$//' train.csv >test.csv
}

# questions VERSION: SQuAD of that version; in 2.0 a third has no answer.
questions() {
  awk -v version="$1" 'BEGIN {
    printf "{\"version\":\"%s\",\"data\":[{\"title\":\"t\",\"paragraphs\":[", version
    for (n = 0; n < 12; n++) {
      none = version == "v2.0" && n % 3 == 0
      printf "%s{\"context\":\"The old king was cold.\",\"qas\":[{\"id\":\"q%d\",\"question\":\"Who was %s?\",\"is_impossible\":%s,\"answers\":[%s]}]}",
        n ? "," : "", n, none ? "new" : "cold", none ? "true" : "false", none ? "" : "{\"text\":\"king\",\"answer_start\":8}"
    }
    print "]}]}"
  }'
}
