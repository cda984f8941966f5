#!/bin/sh
# Converts TriviaQA to records for bert-train --task answer:
#
#   sh triviaqa.sh [-w WORDS] EVIDENCE FILE... > trivia.jsonl
#
# FILE is a file of the folder qa, such as wikipedia-train.json or web-train.json, and EVIDENCE the folder
# evidence. As in Devlin et al. 2018, section 4.2, the context is the beginning of each document of a
# question, here WORDS words (default 400), if it contains one of the possible answers. Case is ignored, and
# an answer must begin and end at the boundary of a word. The first occurrence becomes the answer. White space
# in the context is replaced with spaces.
#
# FILE is read in constant memory. Documents that are missing are counted in a message. Needs jq 1.6.
set -eu

usage() { echo 'Usage: triviaqa.sh [-w WORDS] EVIDENCE FILE...' >&2; exit 2; }
words=400
while getopts w: option; do
  case $option in
  w) words=$OPTARG ;;
  *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || usage
evidence=$1
shift
[ -d "$evidence" ] || { echo "triviaqa.sh: $evidence is not a folder" >&2; exit 1; }
for file; do [ -r "$file" ] || { echo "triviaqa.sh: $file cannot be read" >&2; exit 1; }; done

# A line for each question and document: the name of the document, a TAB, and a JSON object.
jq -nr --stream '
  fromstream(2 | truncate_stream(inputs | select(.[0][0] == "Data")))
  | {id: .QuestionId, question: .Question, aliases: [.Answer | .Value, .Aliases[]?, .NormalizedAliases[]?]} as $asked
  | ((.EntityPages // [])[] | "wikipedia/" + .Filename), ((.SearchResults // [])[] | "web/" + .Filename)
  | . + "\t" + ($asked + {id: ($asked.id + "--" + .)} | tojson)' "$@" |
  awk -F '\t' -v evidence="$evidence" -v words="$words" '
    # Replaces the name of the document with its first words.
    {
      path = evidence "/" $1
      text = ""
      count = 0
      while (count < words && (state = (getline line <path)) > 0) {
        found = split(line, word, /[ \t\r\f\v]+/)
        for (i = 1; i <= found && count < words; i++)
          if (word[i] != "") text = text (count++ ? " " : "") word[i]
      }
      if (state < 0) missing++; else close(path)
      if (count) print text "\t" $2
    }
    END { if (missing) print "triviaqa.sh: missing documents: " missing >"/dev/stderr" }' |
  jq -cR '
    def escaped: explode | map(if . < 128 and ([.] | implode | test("[^A-Za-z0-9 ]")) then 92, . else . end) | implode;
    split("\t") | .[0] as $context | .[1] | fromjson
    | (.aliases | map(select(test("[\\p{L}\\p{N}]"))) | unique | sort_by(-length) | map(escaped) | join("|")) as $any
    | select($any != "")
    | [$context | match("(?:^|[^\\p{L}\\p{N}])(" + $any + ")(?![\\p{L}\\p{N}])"; "i") | .captures[0]] as [$answer]
    | select($answer)
    | {id, question, context: $context, answers: {text: [$answer.string], answer_start: [$answer.offset]}}'
