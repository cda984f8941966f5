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
# FILE is read in constant memory. A message counts the documents that are missing or have no Filename. The first
# error in a FILE ends the run with exit code 1, after the records before it. Needs jq 1.6.
set -eu

fail() { echo "triviaqa.sh: $*" >&2; exit 1; }
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
case $words in '' | 0* | *[!0-9]*) fail "-w $words: expected a number of words, at least 1" ;; esac
evidence=$1
shift
[ -d "$evidence" ] || fail "$evidence is not a folder"
for file; do [ -r "$file" ] && [ ! -d "$file" ] || fail "$file: expected a file that can be read"; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# A line for each question and document: the name of the document, or -, a TAB, and a JSON object.
questions() {
  jq -nr --stream '
    def check($name; $kind): if type == $kind then . else error("\($name): expected \($kind), found \(type)") end;
    def field($name; $kind): .[$name] | check($name; $kind);
    def aliases($name): .[$name] // [] | check($name; "array") | .[] | check($name; "string");
    def documents($name; $folder):
      .[$name] // [] | check($name; "array") | .[] | check($name; "object") | .Filename // "" | check("Filename"; "string")
      | if . == "" then "-"
        elif contains("\t") or contains("\n") then error("Filename: expected the name of a file, found \(tojson)")
        else $folder + . end;
    def lines:
      check("record"; "object")
      | {id: field("QuestionId"; "string"), question: field("Question"; "string"),
         aliases: [field("Answer"; "object") | field("Value"; "string"), aliases("Aliases", "NormalizedAliases")]} as $asked
      | documents("EntityPages"; "wikipedia/"), documents("SearchResults"; "web/")
      | . + "\t" + ($asked + {id: ($asked.id + "--" + .)} | tojson);
    # The parts of the elements of Data: truncate_stream would drop those that are not objects.
    def parts: inputs | select(.[0][0] == "Data" and (.[0] | length) + length > 3) | [.[0][2:]] + .[1:];
    foreach ((fromstream(parts) | [.]), []) as $question (
      0; . + 1;
      if $question == [] then if . == 1 then error("expected questions in the array Data, found none") else empty end
      else . as $number | $question[] as $record
        | try ($record | lines)
          catch error("question \($number) (\($record | .QuestionId? // "no QuestionId")): " + .)
      end)' <"$1"
}

documents() {
  awk -F '\t' -v evidence="$evidence" -v words="$words" -v missed="$work/missing" '
    # Replaces the name of the document with its first words.
    $1 == "-" { missing++; next }
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
    END { if (missing) print missing >missed }'
}

answers() {
  jq -cR '
    def escaped: explode | map(if . < 128 and ([.] | implode | test("[^A-Za-z0-9 ]")) then 92, . else . end) | implode;
    split("\t") | .[0] as $context | .[1] | fromjson
    | (.aliases | map(select(test("[\\p{L}\\p{N}]"))) | unique | sort_by(-length) | map(escaped) | join("|")) as $any
    | select($any != "")
    | [$context | match("(?:^|[^\\p{L}\\p{N}])(" + $any + ")(?![\\p{L}\\p{N}])"; "i") | .captures[0]] as [$answer]
    | select($answer)
    | {id, question, context: $context, answers: {text: [$answer.string], answer_start: [$answer.offset]}}'
}

# failed COMMAND [INPUT]: notes that a command failed. It has no message if it only lost its reader.
failed() {
  : >"$work/failed"
  message=$(sed -n '1s/^jq: \(parse \)*error\( ([^)]*)\)*: //; 1s/^Error: //; 1p' "$work/$1")
  [ -z "$message" ] || echo "triviaqa.sh: ${2:+$2: }$message" >&2
}

for file; do
  questions "$file" 2>"$work/questions" || { failed questions "$file"; break; }
done |
  { documents 2>"$work/documents" || failed documents "$evidence"; } |
  { answers 2>"$work/answers" || failed answers; }
[ ! -e "$work/failed" ] || exit 1
[ ! -e "$work/missing" ] || echo "triviaqa.sh: missing documents: $(cat "$work/missing")" >&2
